import { Buffer } from 'node:buffer';
import { Readable, type Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { IncomingHttpHeaders } from 'undici/types/header.js';
import type { Body } from '../base/body.ts';
import type { Clock } from '../base/clock.ts';
import { withTrueLength } from '../base/framing.ts';
import { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Request } from '../exchange/exchange.ts';
import { ArrivingBody, type Sender } from './arriving-body.ts';
import { callFailure } from './call-failure.ts';
import { type Call, hasBody, passHint, type Response } from './http-call.ts';
import { POOL_NAME } from './pools.ts';

/** HTTP/1.1 over the pooled connections of the endpoint. */
export function sendOverHttp1(call: Call, pool: Dispatcher, clock: Clock): Promise<Response> {
  return new Promise((resolve, reject) => {
    new Transfer(call, resolve, reject).start(pool, clock);
  });
}

/** Follows one call from the queue of its pool to the last byte of the response. */
class Transfer implements Dispatcher.DispatchHandler, Sender {
  readonly #call: Call;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (reason: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ArrivingBody | undefined;
  #failure: Error | undefined;
  #stopTimer: (() => void) | undefined;
  #stopListening: (() => void) | undefined;

  constructor(call: Call, resolve: (response: Response) => void, reject: (reason: Error) => void) {
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(pool: Dispatcher, clock: Clock): void {
    const { request, requestTimeout, upgrade, cancellation } = this.#call;
    this.#stopListening = cancellation.onCancel((reason) => {
      this.#abort(reason);
    });
    if (this.#failure !== undefined) return;
    if (requestTimeout !== undefined) {
      this.#stopTimer = clock.after(requestTimeout, () => {
        this.#abort(new ProxyError('upstreamCallTimeout', `no response within ${requestTimeout} ms`));
      });
    }
    try {
      pool.dispatch({ ...dispatchOptions(request), ...(upgrade && { upgrade }) }, this);
    } catch (error) {
      this.#fail(error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, parsed: IncomingHttpHeaders): void {
    if (this.#failure !== undefined) return;
    const headers = HeaderMap.fromRaw(fieldsAsTheyCame(controller.rawHeaders, parsed));
    if (status < 200) return passHint(this.#call, status, headers);
    this.#stopTimer?.();
    const body = hasBody(this.#call.request.method, status, headers) ? this.#arriving(headers) : undefined;
    this.#body = body;
    this.#resolve({ status, headers, body });
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    parsed: IncomingHttpHeaders,
    connection: Duplex,
  ): void {
    this.#stopTimer?.();
    this.#stopListening?.();
    // The client library has let go of it; an error without a listener would end the process.
    connection.on('error', () => connection.destroy());
    const headers = HeaderMap.fromRaw(fieldsAsTheyCame(controller.rawHeaders, parsed));
    this.#resolve({ status, headers, body: undefined, connection });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, parsed: IncomingHttpHeaders): void {
    this.#stopListening?.();
    this.#body?.end(HeaderMap.fromRaw(fieldsAsTheyCame(controller.rawTrailers, parsed)));
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  cancel(): void {
    this.#abort(new ProxyError('clientGone'));
  }

  #arriving(headers: HeaderMap): ArrivingBody {
    const declared = headers.get('content-length');
    return new ArrivingBody(declared === undefined ? undefined : Number(declared), this);
  }

  #abort(reason: Error): void {
    this.#fail(reason);
    this.#controller?.abort(reason);
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    const failure = callFailure(error);
    this.#failure = failure;
    this.#stopTimer?.();
    this.#stopListening?.();
    this.#reject(failure);
    this.#body?.fail(failure);
  }
}

/** The client library takes a server name that its types do not mention. */
type DispatchOptions = Dispatcher.DispatchOptions & { readonly servername: string };

function dispatchOptions({ method, target, headers, body, authority }: Request): DispatchOptions {
  return {
    method,
    path: target,
    headers: ['host', authority, ...withTrueLength(headers, body).toRaw()],
    body: payload(body),
    servername: POOL_NAME,
  };
}

function payload(body: Body | undefined): Buffer | Readable | null {
  if (body === undefined || body.length === 0) return null;
  return declaredBytes(body) ?? Readable.from(chunks(body), { objectMode: false });
}

/** A body that declared its length and is all there. One without length stays chunked, whenever it arrives. */
function declaredBytes(body: Body): Buffer | undefined {
  const bytes = body.length === undefined ? undefined : body.takeAll?.();
  return bytes === undefined ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

async function* chunks(body: Body): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) yield chunk;
  } finally {
    body.cancel();
  }
}

/**
 * The fields as they came, in order, their bytes as text with one character per byte, the way they are written again.
 * Over HTTP/2 only the parsed form is to be had: lower-case names, the values of one name together.
 */
function fieldsAsTheyCame(raw: Dispatcher.DispatchController['rawHeaders'], parsed: IncomingHttpHeaders): string[] {
  if (Array.isArray(raw)) return raw.map((item) => (typeof item === 'string' ? item : item.toString('latin1')));
  return Object.entries(parsed)
    .filter(([name]) => !name.startsWith(':'))
    .flatMap(([name, values]) => [values ?? []].flat().flatMap((value) => [name, value]));
}
