import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { CallEnd, CallRecord, CallStart } from '../trace/call-record.ts';
import type { Request } from './request.ts';

/** Where a request stands in a trace (W3C Trace Context). Ids are hexadecimal digits. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the client. */
  readonly parentSpanId: string | undefined;
  readonly state: string | undefined;
}

/** A call that is over. Moments are of the monotonic clock. */
export interface CallNote extends CallStart, CallEnd {
  readonly spanId: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** One verdict of a guard; `failed` where it came to none. */
export interface GuardCheck {
  readonly phase: 'request' | 'response';
  readonly action: 'pass' | 'mask' | 'reject' | 'failed';
}

/** What the messages of a call of an agent say. Texts are short: whoever sent them chose them. */
export interface AgentCall {
  readonly method?: string | undefined;
  readonly outcome?: 'success' | 'error' | 'unknown' | undefined;
  readonly errorCode?: number | undefined;
  readonly resultKind?: string | undefined;
  readonly taskState?: string | undefined;
  readonly contextId?: string | undefined;
}

/** An error of JSON-RPC. */
export interface RpcError {
  readonly code: number | undefined;
  readonly message: string | undefined;
}

/**
 * What is noted of one request for those who are told about it in the end: the access log, spans, metrics. It exists only
 * where somebody is told, and is the one thing of an exchange that changes.
 */
export class RequestRecord implements CallRecord {
  /** As it came, before any policy changed it. */
  readonly arrived: Request;
  /** Wall clock in milliseconds; of a sampled request, since only spans tell it. */
  readonly arrivedAt: number | undefined;
  /** Set when the request is sampled. */
  readonly trace: TraceContext | undefined;
  readonly calls: CallNote[] = [];
  /** What guards of prompts thought of its texts, and of those of its answer. */
  readonly checks: GuardCheck[] = [];
  /** How often the request was sent to a backend. */
  attempts = 0;
  /** Where it was sent last. */
  endpoint: string | undefined;
  /** The policy that answered instead of the backend. */
  answeredBy: string | undefined;
  /** Bytes of the body the client was sent. */
  bytes = 0;
  /** Why the body of the answer broke off. */
  broken: string | undefined;
  /** Reads what passed of a call of an agent, once somebody is told. From `backends/a2a`. */
  agentCall: (() => AgentCall) | undefined;
  /** The same of the error an MCP client was told. From `backends/mcp`. */
  mcpError: (() => RpcError | undefined) | undefined;
  /** When the head of the answer was ready for the client. */
  repliedAt: number | undefined;
  readonly #clock: Clock;
  #nextSpan: string | undefined;

  constructor(arrived: Request, trace: TraceContext | undefined, clock: Clock) {
    this.arrived = arrived;
    this.trace = trace;
    this.#clock = clock;
    this.arrivedAt = trace === undefined ? undefined : clock.wall();
  }

  /** OTEL-001: the id of the span that the next call to a backend will be. */
  announceCall(): string {
    return (this.#nextSpan = newSpanId());
  }

  /** Notes the policy that answered instead of the backend. */
  noteAnswer(policy: string): void {
    this.answeredBy = policy;
  }

  /** The answer is as the client will get it. */
  noteReply(): void {
    this.repliedAt = this.#clock.monotonic();
  }

  noteCall(start: CallStart): (end: CallEnd) => void {
    if (start.kind === 'Primary') {
      this.attempts += 1;
      this.endpoint = start.target;
    }
    const spanId = this.#takeSpan(start);
    const startedAt = this.#clock.monotonic();
    return (end) => {
      const { kind, subtype, target, request } = start;
      const { status, error } = end;
      const endedAt = this.#clock.monotonic();
      this.calls.push({ kind, subtype, target, request, status, error, spanId, startedAt, endedAt });
    };
  }

  #takeSpan({ kind }: CallStart): string {
    if (this.trace === undefined) return '';
    const announced = kind === 'Primary' ? this.#nextSpan : undefined;
    if (kind === 'Primary') this.#nextSpan = undefined;
    return announced ?? newSpanId();
  }
}

/** Eight random bytes; a span id is never all zeros. */
export function newSpanId(): string {
  return randomId(8);
}

/** Sixteen of them. */
export function newTraceId(): string {
  return randomId(16);
}

function randomId(bytes: number): string {
  const id = randomBytes(bytes).toString('hex');
  return /^0+$/.test(id) ? randomId(bytes) : id;
}
