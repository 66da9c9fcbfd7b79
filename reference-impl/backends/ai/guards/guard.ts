import type { Answer, Targeted } from '../../../exchange/exchange.ts';
import type { Services } from '../../../credentials/services.ts';
import type { Json, PromptText } from '../formats/format.ts';
import type { MaskRule, Work } from './mask.ts';

/** Guards of prompts see the request before the provider, guards of answers the reply before the client (GUARD-036). */
export type Phase = 'request' | 'response';

/** One guard of a list, ready for requests. docs/decisions/prompt-guard.md */
export interface Guard {
  /** What it thinks of the texts. Rejects with a GuardFailure, or with what made its server unreachable, when it cannot say. */
  readonly check: (question: Question) => Promise<Verdict>;
  /** Matches it hides. Whoever has them can hide a match that comes in pieces. */
  readonly masks?: readonly MaskRule[];
  /** Set when what it cannot judge passes: everywhere, or in streams only. */
  readonly failOpen: 'never' | 'streams' | 'always';
  /** The answer to what it rejects, as far as the policy says (GUARD-022, GUARD-023). */
  readonly response: CustomResponse | undefined;
}

export interface CustomResponse {
  readonly message?: string;
  readonly statusCode?: number;
}

/** The request a guard works for. */
export interface Context {
  readonly exchange: Targeted;
  readonly services: Services;
  /** The request in the format of the client. */
  readonly llmRequest: Json;
  /** The head of the provider's answer, when that is what is judged. */
  readonly answer?: Answer;
}

export interface Question extends Context {
  readonly phase: Phase;
  /** What builtins may still do for this body. */
  readonly work: Work;
  /** In order. Never empty. */
  readonly texts: readonly PromptText[];
}

export type Verdict = Pass | Mask | Reject;

interface Pass {
  readonly kind: 'pass';
}

interface Mask {
  readonly kind: 'mask';
  /** Stand for the texts that were asked about. */
  readonly texts: readonly PromptText[];
}

export interface Reject {
  readonly kind: 'reject';
  /** What the guard itself would answer; the policy may know better. */
  readonly status?: number;
  readonly message?: string;
}

export const PASS: Pass = { kind: 'pass' };
export const REJECT: Reject = { kind: 'reject' };

/** A guard that came to no verdict; the message is for people, not for clients. */
export class GuardFailure extends Error {
  override readonly name = 'GuardFailure';
}
