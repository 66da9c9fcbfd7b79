import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';
import { ArrivingBody, type Sender } from './arriving-body.ts';
import { callFailure } from './call-failure.ts';
import { type Call, hasBody, type Response } from './http-call.ts';

/** What carries one call to its endpoint, and the answer back. */
export interface Carrier {
  readonly pause: () => void;
  readonly resume: () => void;
  /** The call has failed, so nothing more of it is sent or read. Called once at most. */
  readonly giveUp: (failure: ProxyError) => void;
}

/** The two ends of the promise of a response. */
export interface Promised {
  readonly resolve: (response: Response) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * The answer to one call, from the start of the wait for it to its last byte: it comes in time (BHTTP-007) and while somebody wants it, or
 * whoever waits for its head, reads its body and carries it is told of one failure. What carries the call reports here.
 */
export class AwaitedAnswer implements Sender {
  readonly #call: Call;
  readonly #carrier: Carrier;
  readonly #promised: Promised;
  #body: ArrivingBody | undefined;
  #failure: ProxyError | undefined;
  #stopTimer: (() => void) | undefined;
  #stopListening: (() => void) | undefined;

  constructor(call: Call, carrier: Carrier, promised: Promised) {
    this.#call = call;
    this.#carrier = carrier;
    this.#promised = promised;
  }

  /** Why there will be no answer. */
  get failure(): ProxyError | undefined {
    return this.#failure;
  }

  /** Begins to wait. False when nobody wants the answer any more: then nothing is to be sent. */
  begin(clock: Clock): boolean {
    const { requestTimeout, cancellation } = this.#call;
    this.#stopListening = cancellation.onCancel((reason) => {
      this.fail(reason);
    });
    if (this.#failure !== undefined) return false;
    if (requestTimeout !== undefined) {
      this.#stopTimer = clock.after(requestTimeout, () => {
        this.fail(new ProxyError('upstreamCallTimeout', `no response within ${requestTimeout} ms`));
      });
    }
    return true;
  }

  /** The head of an answer, behind which its body may come. */
  takeHead(status: number, headers: HeaderMap): void {
    if (this.#failure !== undefined) return;
    const declared = headers.get('content-length');
    if (hasBody(this.#call.request.method, status, headers))
      this.#body = new ArrivingBody(declared === undefined ? undefined : Number(declared), this);
    this.#resolve({ status, headers, body: this.#body });
  }

  /** An answer that is all there with its head. */
  takeWhole(status: number, headers: HeaderMap): void {
    this.#resolve({ status, headers, body: undefined });
  }

  /** An answer after which the connection goes on with another protocol. */
  takeConnection(status: number, headers: HeaderMap, connection: Duplex): void {
    this.#stopListening?.();
    this.#resolve({ status, headers, body: undefined, connection });
  }

  push(chunk: Uint8Array): void {
    this.#body?.push(chunk);
  }

  end(trailers: HeaderMap): void {
    this.#stopListening?.();
    this.#body?.end(trailers);
  }

  /** Only the first failure counts. After a complete answer none changes anything. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    const failure = callFailure(error);
    this.#failure = failure;
    this.#stopTimer?.();
    this.#stopListening?.();
    this.#promised.reject(failure);
    this.#body?.fail(failure);
    this.#carrier.giveUp(failure);
  }

  /** A reader that is slow. */
  pause(): void {
    this.#carrier.pause();
  }

  resume(): void {
    this.#carrier.resume();
  }

  /** A reader that wants no more. */
  cancel(): void {
    this.fail(new ProxyError('clientGone'));
  }

  #resolve(response: Response): void {
    this.#stopTimer?.();
    this.#promised.resolve(response);
  }
}
