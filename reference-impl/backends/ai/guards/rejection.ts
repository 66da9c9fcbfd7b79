import { Buffer } from 'node:buffer';
import { HeaderMap } from '../../../base/headers.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import type { CustomResponse, Phase, Reject } from './guard.ts';

/** GUARD-019 */
const STATUS = 403;

/** GUARD-020, GUARD-021 */
const MESSAGES: Readonly<Record<Phase, string>> = {
  request: 'The request was rejected due to inappropriate content',
  response: 'The response was rejected due to inappropriate content',
};

/** GUARD-024: what the client is told instead of the reply. */
export function rejection(response: CustomResponse | undefined, verdict: Reject, phase: Phase): Answer {
  return {
    status: response?.statusCode ?? verdict.status ?? STATUS,
    headers: HeaderMap.EMPTY,
    body: bytesBody(Buffer.from(rejectionText(response, verdict, phase))),
    from: 'policy',
  };
}

/** What the policy says goes before what the guard itself says. */
export function rejectionText(response: CustomResponse | undefined, verdict: Reject, phase: Phase): string {
  return response?.message ?? verdict.message ?? MESSAGES[phase];
}
