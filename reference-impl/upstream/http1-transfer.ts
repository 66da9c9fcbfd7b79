import { Buffer } from 'node:buffer';
import { Readable, type Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { IncomingHttpHeaders } from 'undici/types/header.js';
import type { Body } from '../base/body.ts';
import type { Clock } from '../base/clock.ts';
import { withTrueLength } from '../base/framing.ts';
import { HeaderMap } from '../base/headers.ts';
import type { Request } from '../exchange/exchange.ts';
import { AwaitedAnswer, type Carrier, type Promised } from './awaited-answer.ts';
import { type Call, passHint, type Response } from './http-call.ts';
import { POOL_NAME } from './pools.ts';

/** HTTP/1.1 over the pooled connections of the endpoint. */
export function sendOverHttp1(call: Call, pool: Dispatcher, clock: Clock): Promise<Response> {
  return new Promise((resolve, reject) => {
    new Transfer(call, { resolve, reject }).start(pool, clock);
  });
}

/** Follows one call from the queue of its pool to the last byte of the response. */
class Transfer implements Dispatcher.DispatchHandler, Carrier {
  readonly #call: Call;
  readonly #answer: AwaitedAnswer;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(call: Call, promised: Promised) {
    this.#call = call;
    this.#answer = new AwaitedAnswer(call, this, promised);
  }

  start(pool: Dispatcher, clock: Clock): void {
    const { request, upgrade } = this.#call;
    if (!this.#answer.begin(clock)) return;
    try {
      pool.dispatch({ ...dispatchOptions(request), ...(upgrade && { upgrade }) }, this);
    } catch (error) {
      this.#answer.fail(error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#answer.failure !== undefined) controller.abort(this.#answer.failure);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, parsed: IncomingHttpHeaders): void {
    const headers = fieldsAsTheyCame(controller.rawHeaders, parsed);
    if (status < 200) passHint(this.#call, status, headers);
    else this.#answer.takeHead(status, headers);
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    parsed: IncomingHttpHeaders,
    connection: Duplex,
  ): void {
    // The client library has let go of it; an error without a listener would end the process.
    connection.on('error', () => connection.destroy());
    const headers = fieldsAsTheyCame(controller.rawHeaders, parsed);
    this.#answer.takeConnection(status, headers, connection);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#answer.push(chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, parsed: IncomingHttpHeaders): void {
    this.#answer.end(fieldsAsTheyCame(controller.rawTrailers, parsed));
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#answer.fail(error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  giveUp(failure: Error): void {
    this.#controller?.abort(failure);
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
function fieldsAsTheyCame(raw: Dispatcher.DispatchController['rawHeaders'], parsed: IncomingHttpHeaders): HeaderMap {
  if (!Array.isArray(raw)) return HeaderMap.fromRaw(fieldsOf(parsed));
  const fields: string[] = [];
  const names: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = latin1(raw[index] ?? '');
    const lower = name.toLowerCase();
    const value = parsed[lower];
    // The parsed form has the same text of a name that came once, which then need not be made a second time.
    fields.push(name, typeof value === 'string' ? value : latin1(raw[index + 1] ?? ''));
    names.push(lower);
  }
  return HeaderMap.fromRaw(fields, names);
}

function latin1(item: Buffer | string): string {
  return typeof item === 'string' ? item : item.toString('latin1');
}

function fieldsOf(parsed: IncomingHttpHeaders): string[] {
  return Object.entries(parsed)
    .filter(([name]) => !name.startsWith(':'))
    .flatMap(([name, values]) => [values ?? []].flat().flatMap((value) => [name, value]));
}
