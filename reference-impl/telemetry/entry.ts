import { PROXY_ERRORS, ProxyError } from '../base/proxy-error.ts';
import { once } from '../base/once.ts';
import type { VariableSource } from '../cel/compile.ts';
import type { ListenerView, RuleView, BackendView } from '../attachment/view.ts';
import type { Answer, Listened, Request, Routed, Targeted } from '../exchange/exchange.ts';
import type { Facts } from '../exchange/facts.ts';
import type { AgentCall, RequestRecord, RpcError } from '../exchange/request-record.ts';
import { answerVariables, rememberRoots } from '../exchange/request-state.ts';
import { mcpAsked, type McpAsked } from './names/mcp-asked.ts';

/** What is known of a request when its answer is over: what log entries, spans and metrics are made of. */
export interface Entry {
  readonly exchange: Listened | Routed | Targeted;
  readonly answer: Answer;
  readonly record: RequestRecord;
  /** As the client sent it. */
  readonly arrived: Request;
  readonly listener: ListenerView;
  /** Set once a route was chosen. */
  readonly rule: RuleView | undefined;
  /** Set once a backend was chosen. */
  readonly backend: BackendView | undefined;
  readonly facts: Facts;
  /** Of the call to an LLM provider, as expressions see it; empty without one. */
  readonly llm: () => Readonly<Record<string, unknown>>;
  /** What an MCP request asked for. */
  readonly mcp: () => McpAsked;
  /** The JSON-RPC error that an MCP request was answered with. */
  readonly mcpError: () => RpcError | undefined;
  /** What the messages of a call of an agent say of it; empty for anything else. */
  readonly agent: () => AgentCall;
  /** Milliseconds from its arrival to the end of its answer. */
  readonly duration: number;
  /** `Upstream`, the policy that answered, or why there is no such answer (`base/proxy-error.ts`). */
  readonly reason: string;
  /** Why there is no answer of the backend, or not all of it. */
  readonly error: string | undefined;
  /** For expressions: the request as the client sent it, what was learnt since, and the answer. docs/decisions/telemetry.md */
  readonly variables: VariableSource;
}

/** Gathers it. The answer is the one the client got. */
export function entryOf(exchange: Listened | Routed | Targeted, answer: Answer, record: RequestRecord): Entry {
  const { listener, facts, clock, startedAt } = exchange;
  // Most entries have no expression to ask.
  const variables = once(() => rememberRoots(answerVariables({ ...exchange, request: record.arrived }, answer)));
  return {
    exchange,
    answer,
    record,
    arrived: record.arrived,
    listener,
    rule: 'rule' in exchange ? exchange.rule : undefined,
    backend: 'backend' in exchange ? exchange.backend : undefined,
    facts,
    llm: once(() => facts.llm?.() ?? {}),
    mcp: once(() => mcpAsked(facts)),
    mcpError: once(() => record.mcpError?.()),
    agent: once(() => record.agentCall?.() ?? {}),
    duration: clock.monotonic() - startedAt,
    reason: reasonOf(answer, record),
    error: errorOf(exchange, answer, record),
    variables: (root) => variables()(root),
  };
}

function reasonOf({ from, failure }: Answer, { answeredBy }: RequestRecord): string {
  if (from === 'backend') return 'Upstream';
  return failure === undefined ? (answeredBy ?? 'policy') : PROXY_ERRORS[failure.code].reason;
}

function errorOf({ cancellation }: Listened, { failure }: Answer, { broken }: RequestRecord): string | undefined {
  const reason = failure ?? cancellation.reason;
  return broken ?? (reason instanceof ProxyError ? reason.message : reason?.message);
}
