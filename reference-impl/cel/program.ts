/** A compiled expression. Compiled once per configuration, evaluated per request. */
export interface Program {
  readonly text: string;
  /** Root variables the expression names: only these need to be built. */
  readonly variables: ReadonlySet<string>;
  /** The bodies it reads, `request.body` or `response.body`: they must be buffered before it runs. */
  readonly bodies: ReadonlySet<Body>;
  /** Never throws. */
  readonly evaluate: (variables: VariableSource) => Evaluation;
}

/** Gives a root variable's value as plain JSON-like data (string, number, bigint, boolean, null, arrays, objects, Uint8Array), or undefined when it does not exist. */
export type VariableSource = (root: string) => unknown;

export type Evaluation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/** A message whose body an expression may read. */
export type Body = 'request' | 'response';
