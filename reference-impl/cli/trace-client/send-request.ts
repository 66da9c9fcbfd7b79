import { request } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import type { InjectedRequest } from './request-arguments.ts';
import { reasonOf, TraceFailure } from './trace-failure.ts';

/** A connection to the data listener, open before the trace is asked for, so that the trace can be asked for by it. */
export interface DataConnection {
  readonly localPort: number;
  /** Sends the request and reads the response to its end. Rejects with a TraceFailure; any status is a success. */
  readonly send: (injected: InjectedRequest) => Promise<void>;
  readonly close: () => void;
}

/** CLI-017: always 127.0.0.1, whatever the URL says. */
export async function connectData(port: number): Promise<DataConnection> {
  const socket = await open(port);
  return {
    localPort: socket.localPort ?? 0,
    send: (injected) => send(socket, injected),
    close: () => {
      socket.destroy();
    },
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain({ host: '127.0.0.1', port, noDelay: true });
    socket.once('connect', () => {
      resolve(socket);
    });
    // Stays: a connection that breaks while nobody uses it must not end the program.
    socket.on('error', (error) => {
      reject(requestFailure(error));
    });
  });
}

async function send(socket: Socket, injected: InjectedRequest): Promise<void> {
  const connection = injected.scheme === 'https' ? await secure(socket, injected) : socket;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(requestFailure(error));
    };
    try {
      const outgoing = request({
        method: injected.method,
        path: injected.target,
        headers: injected.headers.flat(),
        setHost: false,
        createConnection: () => connection,
      });
      outgoing.on('error', fail);
      outgoing.once('response', (response) => {
        response.once('end', resolve);
        response.once('error', fail);
        response.resume();
      });
      // A method without a body, or a switch of protocols, ends in one of these instead.
      outgoing.once('upgrade', (_response, tunnel) => {
        tunnel.destroy();
        resolve();
      });
      outgoing.once('connect', (_response, tunnel) => {
        tunnel.destroy();
        resolve();
      });
      outgoing.end(injected.body);
    } catch (error) {
      fail(error);
    }
  });
}

/** Loading TLS takes longer than a request without it. */
async function secure(socket: Socket, { hostname, insecure }: InjectedRequest): Promise<Socket> {
  const { connect } = await import('node:tls');
  try {
    return connect({ socket, servername: hostname, rejectUnauthorized: !insecure, ALPNProtocols: ['http/1.1'] });
  } catch (error) {
    // A name that TLS cannot have.
    throw requestFailure(error);
  }
}

function requestFailure(error: unknown): TraceFailure {
  return error instanceof TraceFailure
    ? error
    : new TraceFailure(`failed to execute traced request: ${reasonOf(error)}`);
}
