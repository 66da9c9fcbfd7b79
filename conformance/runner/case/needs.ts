import { isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import type { Layer } from './concrete-case.ts';
import type { CaseFile, WrittenCase } from './schema.ts';

/** What the author states, of the case and of its row, and what follows from the routes and the steps: an operation, the watch mode, the command of the client. */
export function statedNeeds(
  written: WrittenCase,
  row: unknown,
  layer: Layer,
  defaults: NonNullable<CaseFile['defaults']>,
): readonly string[] {
  const steps = written.steps ?? [];
  const operations =
    layer === 'op' ? steps.flatMap((step) => (isObject(step['op']) ? Object.keys(step['op']) : [])) : [];
  const implied = [
    ...neededByTopology(written.topology ?? defaults.topology),
    ...operations.map((name) => `op.${name}`),
    ...(layer === 'trace' || steps.some((step) => 'trace' in step) ? ['trace.watch'] : []),
    // What is in force in one phase is not to be seen in a selection of all.
    ...(layer === 'trace' && steps.some((step) => isObject(step['op'])) ? ['trace.policyShape', 'trace.phases'] : []),
    ...(steps.some((step) => 'cli' in step) ? ['cli.trace'] : []),
    ...(steps.some(asksAgain) ? ['core.keepAlive'] : []),
    ...(steps.some((step) => 'status' in step) ? ['policy.status'] : []),
  ];
  return [...new Set([...(defaults.needs ?? []), ...(written.needs ?? []), ...implied, ...needsOfRow(row)])];
}

/** More than one answer of a connection: a server may close it behind the first. */
function asksAgain({ raw }: JsonObject): boolean {
  return isObject(raw) && typeof raw['responses'] === 'number' && raw['responses'] > 1;
}

/**
 * What a proxy that has one listener and routes by host and path alone refuses, or has to ignore: a case with such a listener or rule is not
 * about what it declares.
 */
function neededByTopology(topology: WrittenCase['topology']): readonly string[] {
  const { listeners = [], routes = [] } = topology ?? {};
  const rules = routes.flatMap((route) => route.rules);
  return [
    ...(listeners.length > 1 || listeners.some(({ port }) => port === 'own') ? ['core.listeners'] : []),
    ...[...FEATURES_OF_RULES].flatMap(([feature, has]) => (rules.some(has) ? [feature] : [])),
  ];
}

type Rule = NonNullable<NonNullable<WrittenCase['topology']>['routes']>[number]['rules'][number];

const FEATURES_OF_RULES: ReadonlyMap<string, (rule: Rule) => boolean> = new Map([
  ['core.match', ({ method, headers, query }: Rule) => (method ?? headers ?? query) !== undefined],
  ['core.filters', ({ filters }: Rule) => filters !== undefined],
  ['core.filters.mirror', ({ filters }: Rule) => Array.isArray(filters) && filters.some(isMirror)],
  ['core.timeouts', ({ timeouts }: Rule) => timeouts !== undefined],
  ['core.weights', ({ to }: Rule) => Array.isArray(to) && to.length > 1],
]);

function isMirror(filter: unknown): boolean {
  return isObject(filter) && filter['type'] === 'RequestMirror';
}

/** What a row takes beyond its case. */
function needsOfRow(row: unknown): readonly string[] {
  const needs = isObject(row) ? row['needs'] : undefined;
  return Array.isArray(needs) ? needs.map(String) : [];
}
