import type { Answer, Facts, Request } from './exchange.ts';

/**
 * What a policy decides about a request: go on as it is, go on with a changed request or a new fact, or answer now.
 * A refusal is an answer, never an exception.
 */
export type Outcome =
  | { readonly kind: 'continue' }
  | { readonly kind: 'change'; readonly request?: Request; readonly facts?: Partial<Facts> }
  | { readonly kind: 'answer'; readonly answer: Answer };

export const CONTINUE: Outcome = { kind: 'continue' };
