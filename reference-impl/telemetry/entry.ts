import { PROXY_ERRORS, ProxyError } from '../base/proxy-error.ts';
import type { VariableSource } from '../cel/compile.ts';
import type { ListenerView, RuleView, BackendView } from '../attachment/view.ts';
import type { Answer, Listened, Request, Routed, Targeted } from '../exchange/exchange.ts';
import type { Facts } from '../exchange/facts.ts';
import type { AgentCall, RequestRecord, RpcError } from '../exchange/request-record.ts';
import { answerVariables, rememberRoots } from '../exchange/request-state.ts';
import { mcpAsked, type McpAsked } from './names/mcp-asked.ts';

/**
 * What is known of a request when its answer is over: what log entries, spans and metrics are made of. What few of them ask for is
 * made when it is asked for.
 */
export class Entry {
  readonly exchange: Listened | Routed | Targeted;
  /** The one the client got. */
  readonly answer: Answer;
  readonly record: RequestRecord;
  /** Milliseconds from its arrival to the end of its answer. */
  readonly duration: number;
  #llm: Readonly<Record<string, unknown>> | undefined;
  #mcp: McpAsked | undefined;
  #agent: AgentCall | undefined;
  #variables: VariableSource | undefined;

  constructor(exchange: Listened | Routed | Targeted, answer: Answer, record: RequestRecord) {
    this.exchange = exchange;
    this.answer = answer;
    this.record = record;
    this.duration = exchange.clock.monotonic() - exchange.startedAt;
  }

  /** As the client sent it. */
  get arrived(): Request {
    return this.record.arrived;
  }

  get listener(): ListenerView {
    return this.exchange.listener;
  }

  /** Set once a route was chosen. */
  get rule(): RuleView | undefined {
    return 'rule' in this.exchange ? this.exchange.rule : undefined;
  }

  /** Set once a backend was chosen. */
  get backend(): BackendView | undefined {
    return 'backend' in this.exchange ? this.exchange.backend : undefined;
  }

  get facts(): Facts {
    return this.exchange.facts;
  }

  /** Of the call to an LLM provider, as expressions see it; empty without one. */
  get llm(): Readonly<Record<string, unknown>> {
    return (this.#llm ??= this.facts.llm?.() ?? {});
  }

  /** What an MCP request asked for. */
  get mcp(): McpAsked {
    return (this.#mcp ??= mcpAsked(this.facts));
  }

  /** The JSON-RPC error that an MCP request was answered with. */
  get mcpError(): RpcError | undefined {
    return this.record.mcpError?.();
  }

  /** What the messages of a call of an agent say of it; empty for anything else. */
  get agent(): AgentCall {
    return (this.#agent ??= this.record.agentCall?.() ?? {});
  }

  /** `Upstream`, the policy that answered, or why there is no such answer (`base/proxy-error.ts`). */
  get reason(): string {
    const { from, failure } = this.answer;
    if (from === 'backend') return 'Upstream';
    return failure === undefined ? (this.record.answeredBy ?? 'policy') : PROXY_ERRORS[failure.code].reason;
  }

  /** Why there is no answer of the backend, or not all of it. */
  get error(): string | undefined {
    const reason = this.answer.failure ?? this.exchange.cancellation.reason;
    return this.record.broken ?? (reason instanceof ProxyError ? reason.message : reason?.message);
  }

  /** For expressions: the request as the client sent it, what was learnt since, and the answer. docs/decisions/telemetry.md */
  get variables(): VariableSource {
    return (this.#variables ??= rememberRoots(
      answerVariables({ ...this.exchange, request: this.record.arrived }, this.answer),
    ));
  }
}
