import type { Duplex } from 'node:stream';
import type { Body } from '../base/body.ts';
import type { Cancellation } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import type { HeaderMap } from '../base/headers.ts';
import type { ProxyError } from '../base/proxy-error.ts';
import type { BackendView, ListenerView, RuleView, View } from '../attachment/view.ts';
import type { Recorder } from '../trace/recorder.ts';

/**
 * The request as it gains facts, one type per stage:
 *
 *     Received → Listened → Routed → Targeted → Answered
 *
 * A step names the stage it needs, so it cannot read what does not exist yet (TRACE-022, TRACE-023).
 */
export interface Received {
  readonly request: Request;
  readonly source: Source;
  /** The data port the request came in on. */
  readonly port: number;
  /** Cancelled when the client goes away, or when the time for its request is over. */
  readonly cancellation: Cancellation;
  /** What policies learnt on the way; expressions read it, later policies may add to it. */
  readonly facts: Facts;
  /** The configuration of the moment the request arrived; it never changes under a request. */
  readonly view: View;
  readonly clock: Clock;
  /** `clock.monotonic()` when the request arrived. */
  readonly startedAt: number;
  readonly trace: Recorder;
}

/** The listener whose hostname claims the request. */
export interface Listened extends Received {
  readonly listener: ListenerView;
}

/** The route rule that matched. */
export interface Routed extends Listened {
  readonly rule: RuleView;
}

/** The backend that was chosen for the request, or for this attempt of it. */
export interface Targeted extends Routed {
  readonly backend: BackendView;
}

/** Head and body of a request at one moment. Never changed in place. */
export interface Request {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  /** Host with port when the client sent one, exactly as it came. */
  readonly authority: string;
  /** Path with query, exactly as it came until a policy rewrites it. */
  readonly target: string;
  readonly version: 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2.0';
  /** Without `host` and without hop-by-hop fields. */
  readonly headers: HeaderMap;
  readonly body: Body | undefined;
  /** The protocol the client wants to go on with, where the server can. */
  readonly upgrade?: 'websocket';
}

/** The downstream peer. */
export interface Source {
  readonly address: string;
  readonly port: number;
}

export interface Facts {
  /** Values stored by transformation.metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Claims of the token jwtAuthentication accepted. */
  readonly jwt?: JwtIdentity;
  /** Metadata of the key apiKeyAuthentication accepted. */
  readonly apiKey?: Readonly<Record<string, unknown>>;
  /** The user basicAuthentication accepted. */
  readonly basicAuth?: { readonly username: string };
  /** What the external authorization server said about the request (EXTAUTH-019). */
  readonly extauthz?: Readonly<Record<string, unknown>>;
  /** What the external processor said about it. */
  readonly extproc?: Readonly<Record<string, unknown>>;
  /** Header fields policies want on the answer, in order; each replaces what the answer has under that name. */
  readonly replyHeaders?: readonly (readonly [name: string, value: string])[];
  /** Milliseconds that a delay took; they count against the request timeout (DELAY-006). */
  readonly delayed?: number;
  /** Set when the backend is an LLM provider and the request reached it. */
  readonly llm?: LlmFacts;
  /** What a rate limit server was asked about in tokens, by the compiled policy; it hears later how many they were. */
  readonly countedInTokens?: ReadonlyMap<object, readonly CountedInTokens[]>;
  /** Done last, when all the rest of the request is final: a signature over all of it. */
  readonly sign?: Sign;
  /** Set when the request may be sent again. */
  readonly retry?: RetryTerms;
  /** Which entry of a conditional policy this request chose, by the compiled policy; its response half follows it. */
  readonly chosen?: ReadonlyMap<object, number>;
}

/** Signs a request; rejects with a ProxyError when it cannot. */
export type Sign = (exchange: Targeted) => Promise<Request>;

export interface JwtIdentity {
  readonly claims: Readonly<Record<string, unknown>>;
  /** The token as it came; never shown. */
  readonly rawToken: string;
}

/** A call to an LLM. It tells more while the reply passes. */
export interface LlmFacts {
  readonly streaming: boolean;
  /** Whether the whole reply has been read, so that its tokens are known. */
  readonly complete: () => boolean;
  /** Input and output tokens together, as far as they are known; undefined when the provider said nothing about them. */
  readonly totalTokens: () => number | undefined;
  /** `llm` as expressions see it by now. */
  readonly variables: () => Readonly<Record<string, unknown>>;
}

/** The entries of one descriptor, as the request gave them, and its place among the descriptors of the policy. */
export interface CountedInTokens {
  readonly descriptor: number;
  readonly entries: readonly { readonly key: string; readonly value: string }[];
}

/** When and how often one request may be sent again; noted by `traffic.retry` for whoever sends it. */
export interface RetryTerms {
  /** How often at most, after the first time. */
  readonly retries: number;
  /** Milliseconds between the end of one attempt and the next. */
  readonly backoff: number;
  /** Whether an answer of the backend asks for another attempt. */
  readonly judge: (exchange: Received, answer: Answer) => Judgement | Promise<Judgement>;
}

export interface Judgement {
  readonly again: boolean;
  /** The same answer, its body readable from the first byte even when the judgement read it. */
  readonly answer: Answer;
}

/** What the client is told. */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: Body | undefined;
  /** Who decided: the upstream, a policy on purpose, or a failure of the proxy. */
  readonly from: 'backend' | 'policy' | 'failure';
  /** Set when `from` is `failure`. */
  readonly failure?: ProxyError;
  /**
   * Set when both sides go on with another protocol: takes over the connection of the client, of which `first` has been
   * read, once the head of the answer is sent. Resolves when it is over; never rejects. The body ends then too.
   */
  readonly takeOver?: (client: Duplex, first: Uint8Array) => Promise<void>;
  /** How long the two halves took; set on answers of a backend (TRACE-029, TRACE-030). */
  readonly timings?: Timings;
}

/** Milliseconds, measured on the exchange's monotonic clock. */
export interface Timings {
  readonly requestProcessing: number;
  readonly upstream: number;
}
