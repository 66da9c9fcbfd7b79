import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, type GrpcTransportOptions } from '@connectrpc/connect-node';
import type { Endpoint } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import { perObject } from '../base/per-object.ts';
import type { DialOptions } from './dial.ts';
import { endpointText } from './endpoints.ts';
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

export function createGrpcClients(clock: Clock): GrpcClients {
  const sessions = createHttp2Sessions(clock);
  const transportTo = perObject((options: DialOptions) =>
    perObject((endpoint: Endpoint) => transport(endpoint, options, sessions)),
  );
  return {
    clientFor: (service, endpoint, options, around = (bare) => bare) =>
      createClient(service, around(transportTo(options)(endpoint))),
    close: sessions.close,
  };
}

function transport(endpoint: Endpoint, options: DialOptions, sessions: Http2Sessions): Transport {
  const scheme = options.tls === undefined ? 'http' : 'https';
  const authority = endpoint.kind === 'unix' ? 'localhost' : endpointText(endpoint);
  const baseUrl = `${scheme}://${authority}`;
  const sessionManager: NonNullable<GrpcTransportOptions['sessionManager']> = {
    // What the library compares with the address of a request.
    authority: new URL(baseUrl).origin,
    request: async (method, path, headers, stream) => {
      const head = { ...headers, ':method': method, ':path': path, ':scheme': scheme, ':authority': authority };
      return sessions.request(endpoint, options, head, stream);
    },
    notifyResponseByteRead: () => {},
  };
  return createGrpcTransport({ baseUrl, sessionManager, readMaxBytes: MOST_MESSAGE_BYTES });
}

/** Bytes of one message a server may send. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;
