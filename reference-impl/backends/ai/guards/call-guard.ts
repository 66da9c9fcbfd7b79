import type { BackendView } from '../../../attachment/view.ts';
import { Cancellation } from '../../../base/cancellation.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { readBody } from '../../../base/read-body.ts';
import { callHttp, type PeerRequest } from '../../../upstream/peer-call.ts';
import { asObject, parseJson, type Json } from '../../json.ts';
import { textOf } from '../read-request.ts';
import { type Context, GuardFailure } from './guard.ts';

/** Milliseconds for everything a guard has to say. */
const PATIENCE = 10_000;
/** Bytes a guard may say it in; a mask repeats the whole prompt. */
const MOST_BYTES = 4 * 1024 * 1024;

export interface GuardReply {
  readonly status: number;
  readonly json: Json;
}

/** Asks the server of a guard. Rejects with a ProxyError when there is no reply, with a GuardFailure when it is no JSON object. */
export async function callGuard(
  { exchange, services }: Context,
  server: BackendView,
  request: PeerRequest,
): Promise<GuardReply> {
  const cancellation = new Cancellation();
  const stopListening = exchange.cancellation.onCancel((reason) => {
    cancellation.cancel(reason);
  });
  const stopTimer = exchange.clock.after(PATIENCE, () => {
    cancellation.cancel(new ProxyError('upstreamCallTimeout', `no verdict within ${PATIENCE} ms`));
  });
  try {
    const options = { cancellation, timeout: PATIENCE, scope: 'guardrail' } as const;
    const { status, body } = await callHttp(exchange, server, request, services, options);
    const { bytes, overflow } = await readBody(body, MOST_BYTES);
    if (overflow) {
      body?.cancel();
      throw new GuardFailure('the reply of the guard is too large');
    }
    const json = asObject(parseJson(textOf(bytes)));
    if (json === undefined) throw new GuardFailure('the reply of the guard is no JSON object');
    return { status, json };
  } finally {
    stopTimer();
    stopListening();
  }
}
