import type { Transport } from '@connectrpc/connect';
import { reportedCall, type Scope, type Told } from '../trace/nested-call.ts';

/** Status of the HTTP response that carries every gRPC answer. */
const CARRIER_STATUS = 200;

/** The same transport; every call is told to the trace. A stream is answered with its first message. */
export function reportedTransport(transport: Transport, exchange: Told, scope: Scope, target: string): Transport {
  const reported = <Result>(call: () => Promise<Result>): Promise<Result> =>
    reportedCall(exchange, scope, target, call, () => CARRIER_STATUS);
  return {
    unary: (...call) => reported(() => transport.unary(...call)),
    stream: (...call) => reported(() => transport.stream(...call)),
  };
}
