import type { z } from 'zod';
import type { HttpRequest } from '../http-exchange.ts';
import type { GuardReply, GuardScript } from './script.ts';

export type Phase = 'request' | 'response';

/** What a service is asked about. */
export interface Question {
  readonly phase: Phase;
  readonly texts: readonly string[];
  /** The roles of the texts, where the service is told. */
  readonly roles: readonly string[];
}

/** Why a service does not judge. */
export interface Problem {
  readonly status: number;
  readonly message: string;
}

export interface GuardService {
  /** Which phase is asked about at this path; undefined for a path of somebody else. */
  readonly phaseAt: (path: string, script: GuardScript) => Phase | undefined | 'either';
  /** Undefined when the credentials are good. */
  readonly credentialProblem: (request: HttpRequest, script: GuardScript) => Promise<string | undefined>;
  /** What a body must look like; every further member is refused, as a contract that nobody keeps is none. */
  readonly body: (phase: Phase | 'either') => z.ZodType;
  readonly question: (body: unknown, phase: Phase | 'either') => Question;
  /** The verdict in the words of the service. */
  readonly verdict: (verdict: Verdict, question: Question) => object;
}

export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'mask'; readonly texts: readonly string[] }
  | { readonly kind: 'reject'; readonly message: string; readonly status: number };

/** What a scripted reply decides about the question. */
export function verdictOf(reply: GuardReply, { texts }: Question): Verdict {
  if (reply.reject !== undefined) {
    const { message = 'rejected by the webhook', status = 403 } = reply.reject === true ? {} : reply.reject;
    return { kind: 'reject', message, status };
  }
  if (reply.mask === undefined) return { kind: 'pass' };
  const parts = Object.entries(reply.mask);
  const masked = texts.map((text) => parts.reduce((now, [part, by]) => now.replaceAll(part, by), text));
  return { kind: 'mask', texts: masked };
}

/** The bearer token of the script; where it names none, none is asked for. */
export function bearerProblem(authorization: string | undefined, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  const [, token] = /^Bearer (\S+)$/.exec(authorization ?? '') ?? [];
  if (token === undefined) return 'no bearer token';
  return key === token ? undefined : 'a wrong bearer token';
}
