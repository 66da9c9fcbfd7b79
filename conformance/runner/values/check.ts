/** Where something stands in a case file: the keys and indices from the document root. */
export type Path = readonly (string | number)[];

/**
 * One thing that was looked at. A case without any check proves nothing, so everything that a case expects
 * becomes at least one of these, and the verdict is decided from the list alone.
 */
export interface Check {
  /** The expectation in the case file. */
  readonly at: Path;
  /** The path into the observation, for example `step call: headers.x-a`. */
  readonly what: string;
  readonly ok: boolean;
  readonly expected: string;
  readonly actual: string;
  /** The answer is recorded and never fails: the documents leave the point open and the manifest gives no answer. */
  readonly soft?: 'observe';
}

/** Whether a check counts against the implementation: it failed and is not merely recorded. */
export function isFailure(check: Check): boolean {
  return !check.ok && check.soft === undefined;
}
