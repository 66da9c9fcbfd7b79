/** Where in a resource, from its root. */
export type Path = readonly (string | number)[];

/** One thing wrong with a resource, in words for the person who wrote it. */
export interface Violation {
  readonly path: Path;
  readonly message: string;
  /** The clause that demands it, where one does. */
  readonly clause?: string;
}

/** `spec.targetRefs[0].port`; the whole resource is the empty text. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!/^[\w-]+$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
