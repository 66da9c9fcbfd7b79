import { ConnectError } from '@connectrpc/connect';
import type { Clock } from '../../../base/clock.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type {
  ImmediateResponse,
  ProcessingRequest,
  ProcessingResponse,
  StreamedBodyResponse,
} from '../../../upstream/wire/ext_proc_pb.js';
import type { Part } from './direction.ts';
import type { AllModes } from './modes.ts';
import { createOutgoing, type Outgoing } from './outgoing.ts';
import { OwedAnswers } from './owed-answers.ts';

/** Opens the stream: gives what it sends, gets what comes back. */
export type Connect = (
  outgoing: AsyncIterable<ProcessingRequest>,
  signal: AbortSignal,
) => AsyncIterable<ProcessingResponse>;

export interface ConversationOptions {
  readonly connect: Connect;
  readonly modes: AllModes;
  readonly clock: Clock;
  /** Milliseconds of silence after which an answer that is owed will not come any more. */
  readonly patience: number;
}

/** Gets the pieces of a body that comes back streamed. A promise holds the stream back until there is room. */
export type TakePiece = (piece: StreamedBodyResponse) => Promise<void> | undefined;

/** Why nothing more is said: we had finished, the processor answered the client, ended the stream in order, or failed. */
export interface Over {
  readonly how: 'finished' | 'immediate' | 'ended' | 'failed';
  readonly reason: ProxyError;
}

/** Milliseconds the processor has to end the stream after everything is said. */
const FAREWELL = 1000;

/**
 * The stream of one request, from its first message to the end of the answer's body: both halves of the policy speak on
 * it. It connects with the first message. Once it is over, everything that waits is rejected with the reason.
 */
export class Conversation {
  /** Changed by the processor where the policy lets it. */
  modes: AllModes;
  /** Set when the processor answered the client itself. */
  immediate: ImmediateResponse | undefined;
  /** EXTPROC-021, EXTPROC-022: something of the request's body went out. */
  bodyGiven = false;
  over: Over | undefined;

  readonly #options: ConversationOptions;
  readonly #outgoing: Outgoing<ProcessingRequest>;
  readonly #abort = new AbortController();
  readonly #owed = new OwedAnswers();
  readonly #streams = new Map<Part, TakePiece>();
  readonly #onOver = new Set<(reason: ProxyError) => void>();
  readonly #finished = new Set<'request' | 'response'>();
  #listening: Promise<void> | undefined;
  /** `clock.monotonic()` of the last message in either direction. */
  #lastWord = 0;
  #heldBack = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.modes = options.modes;
    this.#outgoing = createOutgoing((message) => {
      this.#lastWord = options.clock.monotonic();
      if (message.request.case === 'requestBody') this.bodyGiven = true;
    });
  }

  /** Whether anything was said yet. */
  get opened(): boolean {
    return this.#listening !== undefined;
  }

  /** Resolves when the message is on its way. */
  async send(part: Part, message: ProcessingRequest): Promise<void> {
    if (this.over !== undefined) throw this.over.reason;
    this.#owed.ask(part);
    const sent = this.#outgoing.send(message);
    this.#listening ??= this.#listen();
    try {
      await sent;
    } catch (error) {
      throw asFailure(error);
    }
  }

  /** The answer to that part, which came already or is waited for. */
  async answerTo(part: Part): Promise<ProcessingResponse> {
    const early = this.#owed.takeEarly(part);
    if (early !== undefined) return early;
    if (this.over !== undefined) throw this.over.reason;
    return this.#owed.wait(part, this.#expectWord(part));
  }

  /** From now on pieces of this body go to `take`. */
  stream(part: Part, take: TakePiece): void {
    this.#owed.ask(part);
    this.#streams.set(part, take);
  }

  /** Runs when the conversation is over, at once when it is. */
  whenOver(task: (reason: ProxyError) => void): void {
    if (this.over === undefined) this.#onOver.add(task);
    else task(this.over.reason);
  }

  /** Everything is said about this direction; about both, and the processor ends the stream, or it is cut off. */
  finish(direction: 'request' | 'response'): void {
    this.#finished.add(direction);
    if (this.#finished.size === 2) this.close();
  }

  /** Nothing more is said. */
  close(): void {
    this.#end('finished', new ProxyError('extProcFailed', 'processing is over'));
  }

  /** Nobody is interested any more. */
  cancel(): void {
    // First the cut, so that the processor does not take it for an end in good order.
    this.#abort.abort();
    this.#end('failed', new ProxyError('extProcFailed', 'cancelled'));
  }

  async #listen(): Promise<void> {
    try {
      for await (const answer of this.#options.connect(this.#outgoing, this.#abort.signal)) {
        this.#lastWord = this.#options.clock.monotonic();
        // What comes afterwards is read away, so that the stream can end.
        if (this.over === undefined) await this.#take(answer);
      }
      this.#end('ended', new ProxyError('extProcFailed', 'the processor ended the stream'));
    } catch (error) {
      this.#abort.abort();
      this.#end('failed', asFailure(error));
    }
  }

  async #take(answer: ProcessingResponse): Promise<void> {
    if (answer.response.case === 'immediateResponse') {
      this.immediate = answer.response.value;
      this.#end('immediate', new ProxyError('extProcFailed', 'the processor answered itself'));
      return;
    }
    const part = this.#owed.partOf(answer);
    const take = this.#streams.get(part);
    if (take === undefined) {
      this.#owed.deliver(part, answer);
      return;
    }
    const room = take(streamedPiece(answer));
    if (room === undefined) return;
    this.#heldBack = true;
    await room;
    this.#heldBack = false;
    this.#lastWord = this.#options.clock.monotonic();
  }

  /** Gives up when neither side says a word for too long while an answer is owed; silence of our own making does not count. */
  #expectWord(part: Part): () => void {
    const { clock, patience } = this.#options;
    const check = (): void => {
      const silence = this.#heldBack ? 0 : clock.monotonic() - this.#lastWord;
      if (silence < patience) {
        stop = clock.after(patience - silence, check);
        return;
      }
      this.#abort.abort();
      this.#end('failed', new ProxyError('extProcFailed', `no answer to ${part} within ${patience} ms`));
    };
    let stop = clock.after(patience, check);
    return () => {
      stop();
    };
  }

  #end(how: Over['how'], reason: ProxyError): void {
    if (this.over !== undefined) return;
    this.over = { how, reason };
    this.#outgoing.stop(reason);
    this.#owed.giveUp(reason);
    for (const task of this.#onOver) task(reason);
    this.#onOver.clear();
    this.#awaitFarewell();
  }

  #awaitFarewell(): void {
    if (this.#listening === undefined) return;
    const stop = this.#options.clock.after(FAREWELL, () => {
      this.#abort.abort();
    });
    void this.#listening.then(stop);
  }
}

function streamedPiece({ response }: ProcessingResponse): StreamedBodyResponse {
  const body = response.case === 'requestBody' || response.case === 'responseBody' ? response.value : undefined;
  const mutation = body?.response?.bodyMutation?.mutation;
  if (mutation?.case === 'streamedResponse') return mutation.value;
  throw new ProxyError('extProcFailed', 'a streamed body came back in one piece');
}

function asFailure(error: unknown): ProxyError {
  if (error instanceof ProxyError)
    return error.code === 'extProcFailed' ? error : new ProxyError('extProcFailed', error.message, { cause: error });
  const { rawMessage } = ConnectError.from(error);
  return new ProxyError('extProcFailed', rawMessage, { cause: error });
}
