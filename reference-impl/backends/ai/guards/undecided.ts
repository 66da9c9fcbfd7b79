import { ProxyError } from '../../../base/proxy-error.ts';
import type { Targeted } from '../../../exchange/exchange.ts';
import { type Guard, GuardFailure } from './guard.ts';

/**
 * Whether what a guard could not judge goes on all the same (docs/decisions/prompt-guard.md). Throws the reason of the cancellation
 * when nobody waits any more, and `error` when it is none of a guard.
 */
export function mayPass(error: unknown, { failOpen }: Guard, { cancellation }: Targeted, stream: boolean): boolean {
  if (cancellation.reason !== undefined) throw cancellation.reason;
  if (!(error instanceof GuardFailure || error instanceof ProxyError)) throw error;
  return failOpen === 'always' || (stream && failOpen === 'streams');
}
