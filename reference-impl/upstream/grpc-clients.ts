import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import type { Endpoint } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import { ProxyError } from '../base/proxy-error.ts';
import { dial, type DialOptions } from './dial.ts';
import { endpointText } from './endpoints.ts';
import { keyOf } from './pools.ts';

/** gRPC over HTTP/2, one session per endpoint and way of dialling. */
export interface GrpcClients {
  /** The client of a service at an endpoint; connected with its first call. */
  readonly clientFor: <Service extends DescService>(
    service: Service,
    endpoint: Endpoint,
    options: DialOptions,
    /** Put around the transport of this one client. */
    around?: (transport: Transport) => Transport,
  ) => Client<Service>;
  /** Cuts all sessions. */
  readonly close: () => void;
}

interface Channel {
  readonly session: Http2SessionManager;
  readonly transport: Transport;
}

/** Endpoints come and go with the configuration; beyond this many the longest unused idle session is closed. */
const MOST_CHANNELS = 256;
/** A server that is silent has its session closed after this many milliseconds without a call. */
const IDLE_TIMEOUT = 60_000;

export function createGrpcClients(clock: Clock): GrpcClients {
  const channels = new Map<string, Channel>();

  function channelTo(endpoint: Endpoint, options: DialOptions): Channel {
    if (options.tunnel !== undefined)
      throw new ProxyError('upstreamCallFailed', 'gRPC through a tunnel is not supported');
    const key = keyOf(endpoint) + keyOf(options);
    const known = channels.get(key);
    if (known !== undefined) return known;
    if (channels.size >= MOST_CHANNELS) closeIdle(channels);
    const channel = openChannel(endpoint, options, clock);
    channels.set(key, channel);
    return channel;
  }

  return {
    clientFor: (service, endpoint, options, around = (transport) => transport) =>
      createClient(service, around(channelTo(endpoint, options).transport)),
    close: () => {
      for (const { session } of channels.values()) session.abort();
      channels.clear();
    },
  };
}

function openChannel(endpoint: Endpoint, options: DialOptions, clock: Clock): Channel {
  const scheme = options.tls === undefined ? 'http' : 'https';
  const baseUrl = `${scheme}://${endpoint.kind === 'unix' ? 'localhost' : endpointText(endpoint)}`;
  const session = new Http2SessionManager(
    baseUrl,
    { idleConnectionTimeoutMs: IDLE_TIMEOUT },
    // The session learns of a failed connection from its socket.
    { createConnection: () => dial(endpoint, options, clock, () => {}) },
  );
  const transport = createGrpcTransport({
    baseUrl,
    sessionManager: session,
    readMaxBytes: MOST_MESSAGE_BYTES,
  });
  return { session, transport };
}

/** Bytes of one message a server may send. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;

function closeIdle(channels: Map<string, Channel>): void {
  for (const [key, { session }] of channels) {
    if (session.state() === 'open') continue;
    channels.delete(key);
    session.abort();
    return;
  }
}
