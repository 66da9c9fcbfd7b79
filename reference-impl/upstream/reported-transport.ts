import type { Transport } from '@connectrpc/connect';
import type { Endpoint } from '../attachment/view.ts';
import { reportedCall, type Scope, type Told } from '../trace/nested-call.ts';
import { endpointText } from './endpoints.ts';
import { grpcAuthority, type Method, pathOf } from './grpc-transport.ts';

/** Status of the HTTP response that carries every gRPC answer. */
const CARRIER_STATUS = 200;

/** The same transport; every call is told to the trace. A stream is answered with its first message. */
export function reportedTransport(transport: Transport, exchange: Told, scope: Scope, endpoint: Endpoint): Transport {
  const reported = <Result>(method: Method, call: () => Promise<Result>): Promise<Result> => {
    const request = { method: 'POST', authority: grpcAuthority(endpoint), target: pathOf(method) };
    return reportedCall(exchange, scope, { target: endpointText(endpoint), request }, call, () => CARRIER_STATUS);
  };
  return {
    unary: (...call) => reported(call[0], () => transport.unary(...call)),
    stream: (...call) => reported(call[0], () => transport.stream(...call)),
  };
}
