import { WordTree } from '../../base/word-tree.ts';
import type { VariableSource } from '../../cel/compile.ts';
import type { CallNote } from '../../exchange/request-record.ts';
import type { AddedAttribute } from '../attributes.ts';
import type { Entry } from '../entry.ts';
import { costOf, numberOf, operationOf, protocolOf, secondsOf } from '../names/log-keys.ts';
import { perRule } from '../per-rule.ts';
import { MCP_METHODS } from '../names/mcp-asked.ts';
import { METRICS } from '../names/metrics.ts';
import type { Metrics } from './metrics.ts';
import { type Cell, type Label, LabelSet, UNKNOWN } from './series.ts';

/** METRIC-001, METRIC-002: counts one request and everything that was done for it, under the labels that are added. */
export function countRequest(metrics: Metrics, entry: Entry, added: readonly AddedAttribute[]): void {
  const { record, duration, answer } = entry;
  const labels = added.length === 0 ? NONE : addedLabels(added, entry.variables);
  const counting: Counting = { of: metrics.of, entry, labels };
  countAnswer(counting);
  if (record.attempts > 1) at(counting, 'retries', []).add(record.attempts - 1);
  if (record.answeredBy !== undefined) at(counting, 'answers', [record.answeredBy, String(answer.status)]).add(1);
  for (const call of record.calls)
    metrics.of.calls.at(callLabels(counting, call)).add((call.endedAt - call.startedAt) / 1000);
  for (const { phase, action } of record.checks) at(counting, 'checks', [phase, action]).add(1);
  if (entry.facts.mcp !== undefined) countMessage(counting);
  if (entry.facts.llm !== undefined) countTokens(counting, duration / 1000);
}

/** One request that is being counted. */
interface Counting {
  readonly of: Metrics['of'];
  readonly entry: Entry;
  /** Those that are added. */
  readonly labels: readonly Label[];
}

const NONE: readonly Label[] = [];

/** The series of a metric whose own labels have these values, and whose others are those of the route. */
function at({ of, entry, labels }: Counting, name: keyof typeof METRICS, values: readonly string[]): Cell {
  return of[name].at(new LabelSet(METRICS[name].labels, [...values, ...routeLabels(entry)], labels));
}

function countAnswer(counting: Counting): void {
  const { of, entry } = counting;
  const { record, duration, answer, exchange } = entry;
  const set = answerLabels(counting);
  of.requests.at(set).add(1);
  of.duration.at(set).add(duration / 1000);
  of.bytes.at(set).add(record.bytes);
  if (answer.timings === undefined) return;
  const { requestProcessing, upstream } = answer.timings;
  of.processing.at(set).add(requestProcessing / 1000);
  const repliedAfter = (record.repliedAt ?? exchange.startedAt) - exchange.startedAt;
  of.responseProcessing.at(set).add(Math.max(0, repliedAfter - requestProcessing - upstream) / 1000);
}

/** Of an answer, for all the metrics that count it. */
function answerLabels({ entry, labels }: Counting): LabelSet {
  const make = (): LabelSet => new LabelSet(METRICS.requests.labels, requestLabels(entry), labels);
  // Added labels may say anything: there is no end of what they make of a request.
  if (labels.length > 0) return make();
  const { backend, answer, reason } = entry;
  return keptLabels(entry).answers.at([backend?.name, backend?.protocol, methodOf(entry), answer.status, reason], make);
}

/** Of a call that was made for a request. */
function callLabels({ entry, labels }: Counting, { kind, subtype, status }: CallNote): LabelSet {
  const make = (): LabelSet => {
    const values = [kind, subtype, status === null ? 'none' : String(status), ...routeLabels(entry)];
    return new LabelSet(METRICS.calls.labels, values, labels);
  };
  if (labels.length > 0) return make();
  return keptLabels(entry).calls.at([kind, subtype, status], make);
}

/** Of the requests of a rule, or of those that found none; found by what is no client's to choose, so that there is an end of them. */
const keptLabels = perRule(() => ({ answers: new WordTree<LabelSet>(), calls: new WordTree<LabelSet>() }));

function countMessage(counting: Counting): void {
  const { method = UNKNOWN, type = UNKNOWN, target = UNKNOWN, name = UNKNOWN } = counting.entry.mcp;
  at(counting, 'mcp', [method === UNKNOWN || MCP_METHODS.has(method) ? method : 'OTHER', type, target, name]).add(1);
}

/**
 * METRIC-003: an expression that fails, or has no text for a value, gives `unknown`. Of two that have one name in the text format the last
 * counts: a sample in which a label stands twice makes everything unreadable.
 */
export function addedLabels(added: readonly AddedAttribute[], variables: VariableSource): readonly Label[] {
  const labels = added.map(({ name, program }): Label => {
    const evaluation = program.evaluate(variables);
    return [labelName(name), evaluation.ok ? labelValue(evaluation.value) : UNKNOWN];
  });
  return [...new Map(labels)];
}

/** The text format has letters, digits and `_` in names of labels, and `le` for the bounds of histograms. */
function labelName(name: string): string {
  const valid = name.replaceAll(/[^a-zA-Z0-9_]/g, '_');
  return /^(?:\d|le$)/.test(valid) ? `_${valid}` : valid;
}

function labelValue(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : UNKNOWN;
}

/** Gateway, listener, route and rule. */
function routeLabels({ listener, rule }: Entry): readonly string[] {
  const { namespace, name } = listener.gateway;
  const route = rule === undefined ? UNKNOWN : `${rule.route.namespace}/${rule.route.name}`;
  return [`${namespace}/${name}`, listener.name, route, rule?.route.rule ?? UNKNOWN];
}

function requestLabels(entry: Entry): readonly string[] {
  const { backend, answer, reason, listener } = entry;
  return [
    backend?.name ?? UNKNOWN,
    backend === undefined ? 'http' : protocolOf(backend.protocol),
    methodOf(entry),
    String(answer.status),
    reason,
    String(listener.port),
    ...routeLabels(entry),
  ];
}

function methodOf({ arrived: { method } }: Entry): string {
  return METHODS.has(method) ? method : 'OTHER';
}

/** A client may call its method what it likes, and a label of its own for each would be its to make. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
]);

const TOKENS: readonly (readonly [type: string, variable: string])[] = [
  ['input', 'inputTokens'],
  ['output', 'outputTokens'],
  ['input_cache_read', 'cachedInputTokens'],
  ['input_cache_write', 'cacheCreationInputTokens'],
];

function countTokens(counting: Counting, seconds: number): void {
  const { entry } = counting;
  const { llm } = entry;
  const call = [
    operationOf(entry) ?? UNKNOWN,
    word(llm['provider']),
    word(llm['requestModel']),
    word(llm['responseModel']),
  ];
  for (const [type, variable] of TOKENS) {
    const tokens = numberOf(llm[variable]);
    if (tokens !== undefined) at(counting, 'tokens', [type, ...call]).add(tokens);
  }
  at(counting, 'llmDuration', call).add(seconds);
  // Nothing is looked for before there is something to pay.
  if (llm['totalTokens'] !== undefined) at(counting, 'catalog', [priceStatus(entry), ...call]).add(1);
  const cost = costOf(llm['cost']);
  if (cost !== undefined) at(counting, 'cost', call).add(cost);
  for (const [name, variable] of TIMES) {
    const time = secondsOf(llm[variable]);
    if (time !== undefined) at(counting, name, call).add(time);
  }
}

/** What came of looking for the price of a call in the catalogs of its listener. */
function priceStatus({ llm, listener }: Entry): 'exact' | 'unpriced' | 'missing' | 'noCatalog' {
  const { cost, costRates } = llm;
  if (cost !== undefined) return 'exact';
  if (costRates !== undefined) return 'unpriced';
  return listener.modelCatalogs.length > 0 ? 'missing' : 'noCatalog';
}

const TIMES = [
  ['firstToken', 'timeToFirstToken'],
  ['perToken', 'timePerOutputToken'],
] as const;

function word(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : UNKNOWN;
}
