import type { Duplex } from 'node:stream';
import type { Body } from '../base/body.ts';
import type { Cancellation } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import type { HeaderMap } from '../base/headers.ts';
import type { ProxyError } from '../base/proxy-error.ts';
import type { BackendView, ListenerView, RuleView, View } from '../attachment/view.ts';
import type { Recorder } from '../trace/recorder.ts';
import type { Facts } from './facts.ts';
import type { Request } from './request.ts';
import type { RequestRecord } from './request-record.ts';

export type { Request } from './request.ts';

/**
 * The request as it gains facts, one type per stage:
 *
 *     Received → Listened → Routed → Targeted → Answered
 *
 * A step names the stage it needs, so it cannot read what does not exist yet (TRACE-022, TRACE-023).
 */
export interface Received {
  readonly request: Request;
  /** As the client sent it, before any policy: where a client finds what an answer tells it about addresses. */
  readonly asked: Request;
  readonly source: Source;
  /** The data port the request came in on. */
  readonly port: number;
  /** Cancelled when the client goes away, or when the time for its request is over. */
  readonly cancellation: Cancellation;
  /** Tells the client ahead of its answer what the answer will link to, by values of `Link` (103). Absent where a client could not read that. */
  readonly hint?: ((links: readonly string[]) => void) | undefined;
  /** What was learnt on the way, as expressions see it. */
  readonly facts: Facts;
  readonly handover: Handover;
  /** The configuration of the moment the request arrived; it never changes under a request. */
  readonly view: View;
  readonly clock: Clock;
  /** `clock.monotonic()` when the request arrived. */
  readonly startedAt: number;
  readonly trace: Recorder;
  /** What the access log, spans and metrics are made of; only where there are some. */
  readonly record?: RequestRecord;
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

/** The downstream peer, and what its connection said before its first request. */
export interface Source {
  readonly address: string;
  readonly port: number;
  /** The peer of the TCP connection, where a PROXY header named another as the client (FRONT-011). */
  readonly raw?: { readonly address: string; readonly port: number };
  /** Our end of the connection. */
  readonly local?: { readonly address: string; readonly port: number };
  /** The fields of the CONNECT request that the connection came out of (CONNECT-004). */
  readonly connectHeaders?: HeaderMap;
  /** What the handshake said, on a connection with TLS. */
  readonly tls?: {
    /** In lower case; empty when the client named none. */
    readonly serverName: string;
    readonly client?: ClientCertificate;
  };
}

/** A certificate that an authority of the listener vouches for. */
export interface ClientCertificate {
  /** PEM. */
  readonly certificate: string;
  readonly subject: string;
  readonly subjectCn?: string;
  readonly issuer: string;
  readonly subjectAltNames: readonly string[];
  readonly spiffeId?: string;
  readonly identity?: { readonly trustDomain: string; readonly namespace: string; readonly serviceAccount: string };
}

/**
 * What one step leaves for a later one. Neither expressions nor traces see it; each member has one reader, and an
 * outcome changes it as it changes facts.
 */
export interface Handover {
  /**
   * Header fields for the answer, in order; each replaces what the answer has under that name.
   * From cors, extAuth and rateLimit to `pipeline/reply-headers.ts`.
   */
  readonly replyHeaders?: readonly ReplyHeader[];
  /** Milliseconds a delay took; they count against the request timeout (DELAY-006). From delay to `pipeline/deadline.ts`. */
  readonly delay?: number;
  /** Set when the request may be sent again. From retry to `pipeline/attempts.ts`. */
  readonly retry?: RetryTerms;
  /**
   * Done last, when all the rest of the request is final: a signature over all of it. From backend.auth, or from the
   * provider of a model, to `pipeline/attempts.ts`.
   */
  readonly sign?: Sign;
  /** The token that jwtAuthentication accepted, as it came. Never shown; backend.auth may pass it through. */
  readonly acceptedToken?: string;
  /** Which entry has the key that apiKeyAuthentication accepted. Never shown; sessions of MCP belong to whoever shows it. */
  readonly keyOf?: string;
  /** Which entry this request chose, by compiled conditional policy. From its request half to its response half. */
  readonly entries?: ReadonlyMap<object, number>;
  /** What an external processor does with the answer, by compiled policy. From the request half of extProc to the other. */
  readonly processors?: ReadonlyMap<object, ProcessAnswer>;
  /**
   * What a server was asked about in tokens, by compiled policy; it hears later how many they were. From the request half
   * of rateLimit to its response half.
   */
  readonly tokenDescriptors?: ReadonlyMap<object, readonly TokenDescriptor[]>;
  /** The tokens of the call to an LLM provider. From `backends/ai` to rateLimit. */
  readonly usage?: TokenUsage;
}

export type ReplyHeader = readonly [name: string, value: string];

/** Signs a request; rejects with a ProxyError when it cannot. */
export type Sign = (exchange: Targeted) => Promise<Request>;

/** Shows an answer to the processor that saw the request, and gives what the processor made of it. */
export type ProcessAnswer = (exchange: Received, answer: Answer) => Answer | Promise<Answer>;

/** What is known by now of the tokens of a call. */
export interface TokenUsage {
  readonly streaming: boolean;
  /** Whether the whole reply has been read, so that its tokens are known. */
  readonly complete: () => boolean;
  /** Input and output tokens together, as far as they are known; undefined when the provider said nothing about them. */
  readonly totalTokens: () => number | undefined;
}

/** The entries of one descriptor, as the request gave them, and its place among the descriptors of the policy. */
export interface TokenDescriptor {
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
