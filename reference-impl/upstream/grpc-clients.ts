import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import type { Endpoint } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import { perObject } from '../base/per-object.ts';
import type { DialOptions } from './dial.ts';
import type { OpenStream } from './grpc-call.ts';
import { createGrpcTransport, grpcAuthority } from './grpc-transport.ts';
import type { Connected } from './open-connection.ts';
import { createHttp2Sessions, type Http2Sessions } from './http2-sessions.ts';

/** gRPC over HTTP/2, through a proxy server where one stands in the way (TUNNEL-001). */
export interface GrpcClients {
  /** The client of a service at an endpoint; connected with its first call. */
  readonly clientFor: <Service extends DescService>(
    service: Service,
    endpoint: Endpoint,
    options: DialOptions,
    /** Put around the transport of this one client. */
    around?: (transport: Transport) => Transport,
  ) => Client<Service>;
  /** Cuts all connections. */
  readonly close: () => void;
}

/** `connected` hears of connections that are opened. */
export function createGrpcClients(clock: Clock, connected?: Connected): GrpcClients {
  const sessions = createHttp2Sessions({ clock, connected });
  const transportTo = perObject((options: DialOptions) =>
    perObject((endpoint: Endpoint) => createGrpcTransport(opener(endpoint, options, sessions), clock)),
  );
  return {
    clientFor: (service, endpoint, options, around = (bare) => bare) =>
      createClient(service, around(transportTo(options)(endpoint))),
    close: sessions.close,
  };
}

function opener(endpoint: Endpoint, options: DialOptions, sessions: Http2Sessions): OpenStream {
  const scheme = options.tls === undefined ? 'http' : 'https';
  const way = { ':scheme': scheme, ':authority': grpcAuthority(endpoint) };
  return (fields, over) => sessions.request(endpoint, options, { headers: { ...way, ...fields }, over });
}
