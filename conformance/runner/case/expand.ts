import { featuresSetBy, hasParts, partsOf, shownByFeatures } from '../clauses/features.ts';
import { foundationCases, groundCases, shownByFields } from '../clauses/foundations.ts';
import { formatOf } from '../steps/llm/llm-request.ts';
import { kindOf, stepKinds } from '../steps/registry.ts';
import type { Step } from '../steps/step.ts';
import type { Path } from '../values/check.ts';
import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import type { LlmFormat } from '../values/llm-format.ts';
import { once } from '../values/once.ts';
import type { SourceDocument } from '../values/source-document.ts';
import { interpolate } from '../values/variables.ts';
import type { Scope } from '../values/variables.ts';
import { standsOn } from '../verdict/stands-on.ts';
import type { Level } from '../verdict/verdict.ts';
import type { CaseExpectation, Citation, ConcreteCase, Isolation, Layer, Vantage } from './concrete-case.ts';
import { generatedCases } from './generate/generated-cases.ts';
import { normalTopology } from './normal-topology.ts';
import { topologySchema } from './schema.ts';
import type { CaseFile, WrittenCase } from './schema.ts';
import { namedTokens } from './step-tokens.ts';
import { namespaceOf, variants } from './vary.ts';
import type { Variant } from './vary.ts';

/** What expansion needs to know of the rest of the suite. */
export interface ExpandContext {
  readonly source: SourceDocument;
  readonly suite: string;
  readonly defaults: NonNullable<CaseFile['defaults']>;
  /** The level the cited clauses give; undefined when none of them is known. */
  readonly levelOf: (clauses: readonly Citation[]) => Level | undefined;
  /** The file is known to be good: what a case holds is filled in when it is looked at. */
  readonly lazy: boolean;
  /** Others may use the same implementation at the same time: names hold for this run alone. */
  readonly run?: string | undefined;
}

/**
 * All concrete cases of a written one: for each variant and vantage one. Row and case variables are filled;
 * placeholders of peers, listeners, captures and manifest answers stay. Throws `AuthoringError` for an unknown one.
 */
export function expandCase(written: WrittenCase, at: Path, context: ExpandContext): readonly ConcreteCase[] {
  if (written.generate !== undefined) return boundaryCases(written, written.generate.boundaries, at, context);
  const windows = written.vantage ?? context.defaults.vantage ?? [undefined];
  return variants(written.vary, written.config ?? []).flatMap((variant) =>
    windows.map((vantage) => {
      const window = windows.length > 1 && vantage !== undefined ? `@${vantage}` : '';
      return concreteCase({ written, at, variant, vantage, window }, context);
    }),
  );
}

/** One choice of everything a written case leaves open. */
interface Choice {
  readonly written: WrittenCase;
  readonly at: Path;
  readonly variant: Variant;
  readonly vantage: Vantage | undefined;
  /** The end of the id where the case looks through several windows. */
  readonly window: string;
}

function boundaryCases(
  written: WrittenCase,
  { kinds, kills = {} }: NonNullable<WrittenCase['generate']>['boundaries'],
  at: Path,
  { source, suite, defaults, levelOf }: ExpandContext,
): readonly ConcreteCase[] {
  const { file, position } = source;
  const needs = [...(defaults.needs ?? []), ...(written.needs ?? [])];
  return generatedCases({ suite, file, clauses: written.clauses, kinds, kills, needs, at, position, levelOf });
}

function concreteCase(choice: Choice, context: ExpandContext): ConcreteCase {
  const { written, at, variant, vantage, window } = choice;
  const row = variant.name === undefined ? '' : `[${variant.name}]`;
  const id = `${written.id}${row}${window}`;
  const namespace = namespaceOf(id, context.run);
  const identity = { id, namespace, host: `${namespace}.test` };
  const scope = caseScope(identity, variant, at);
  const layer = layerOf(written, vantage, context);
  const config = once(() => configOf(choice, scope));
  const content = once(() => contentOf(choice, config(), scope, context));
  const stated = [...new Set([...needsOf(written, layer, context), ...needsOfRow(variant.row)])];
  // The rest of the content is made late, for the few whose needs depend on it at once.
  const parts = hasParts(stated) ? partsOf(stated, resourcesOf(content())) : [];
  // Who is asked what a configuration comes to, or whether it is valid, need not do what it says.
  const set = layer === 'op' ? [] : featuresSetBy(config());
  const needs = [...new Set([...stated, ...set, ...parts])];
  if (!context.lazy) content();
  const head = {
    ...identity,
    baseId: written.id,
    suite: context.suite,
    title: String(interpolate(written.title, scope, { partial: true, at: [...at, 'title'] })),
    file: context.source.file,
    clauses: written.clauses,
    level: written.level ?? context.defaults.level ?? context.levelOf(written.clauses) ?? 'must',
    layer,
    isolation: isolationOf(written, layer, context),
    ...(vantage === undefined ? {} : { vantage }),
    needs,
    assumes: written.assumes ?? [],
    kills: written.kills ?? [],
    row: isObject(scope['row']) ? scope['row'] : {},
    at,
    position: context.source.position,
  };
  const requires = once(() =>
    requiredBy(written, { id, needs, resources: resourcesOf(content()), asked: formatsAsked(content()) }, context),
  );
  return withContent(head, content, requires);
}

/** The members of the content are made when the first of them is read, and so is what follows from it. */
function withContent(
  head: Omit<ConcreteCase, keyof Content | 'requires'>,
  content: () => Content,
  requires: () => readonly string[],
): ConcreteCase {
  return {
    ...head,
    get requires() {
      return requires();
    },
    get topology() {
      return content().topology;
    },
    get config() {
      return content().config;
    },
    get peers() {
      return content().peers;
    },
    get tokens() {
      return content().tokens;
    },
    get steps() {
      return content().steps;
    },
    get expect() {
      return content().expect;
    },
    get witness() {
      return content().witness;
    },
    get property() {
      return content().property;
    },
  };
}

type Identity = Pick<ConcreteCase, 'id' | 'namespace' | 'host'>;

// A row may itself use the variables of the case.
function caseScope(identity: Identity, variant: Variant, at: Path): Scope {
  const row = interpolate(variant.row, { case: identity }, { partial: true, at: [...at, 'vary', 'rows'] });
  return { case: identity, row };
}

type Content = Pick<
  ConcreteCase,
  'topology' | 'config' | 'peers' | 'tokens' | 'steps' | 'expect' | 'witness' | 'property'
>;

function configOf({ at, variant }: Choice, scope: Scope): readonly JsonObject[] {
  const filled = interpolate(variant.config, scope, { partial: true, dropNull: true, at: [...at, 'config'] });
  return listOf(filled).filter(isObject);
}

function contentOf(
  { written, at }: Choice,
  config: readonly JsonObject[],
  scope: Scope,
  { defaults }: ExpandContext,
): Content {
  const fill = (value: unknown, key: string): unknown =>
    interpolate(value, scope, { partial: true, dropNull: true, at: [...at, key] });
  const peers = objectsOf(fill(written.peers ?? defaults.peers ?? {}, 'peers'));
  const topology = topologySchema.safeParse(fill(written.topology ?? defaults.topology ?? {}, 'topology')).data ?? {};
  const property = fill(written.property, 'property');
  const served = needsBackend(written, peers, topology) ? { up: { kind: 'http' } } : peers;
  const expect = interpolate(written.expect ?? {}, scope, { partial: true, at: [...at, 'expect'] });
  return {
    topology: normalTopology(topology, { host: String(scopeHost(scope)), peers: Object.keys(served) }),
    config,
    peers: served,
    ...stepsOf(written, at, scope),
    expect: isObject(expect) ? (expect satisfies CaseExpectation) : {},
    witness: listOf(fill(written.witness ?? [], 'witness')).map(String),
    ...(isObject(property) ? { property } : {}),
  };
}

/** The steps, and the tokens that stand in them beside those of the case. */
function stepsOf(written: WrittenCase, at: Path, scope: Scope): Pick<Content, 'steps' | 'tokens'> {
  const steps = (written.steps ?? []).map((step, index) => concreteStep(step, scope, [...at, 'steps', index]));
  const inputs = steps.map((step) => namedTokens(step.input, [step.id]));
  // Null stays: it is a claim taken out of a token, or no token at all.
  const named = interpolate(written.tokens ?? {}, scope, { partial: true, at: [...at, 'tokens'] });
  const tokens = Object.fromEntries([objectOf(named), ...inputs.map((input) => input.tokens)].flatMap(Object.entries));
  return {
    ...(Object.keys(tokens).length === 0 ? {} : { tokens }),
    steps: steps.map((step, index) => ({ ...step, input: inputs[index]?.value })),
  };
}

function scopeHost(scope: Scope): unknown {
  return isObject(scope['case']) ? scope['case']['host'] : undefined;
}

// A merge case has nothing to send to, but the trace window sends one request and the backend phase wants a backend.
function needsBackend(written: WrittenCase, peers: JsonObject, topology: JsonObject): boolean {
  const asksOp =
    (written.vantage ?? []).length > 0 ||
    (written.steps ?? []).some((step) => 'op' in step) ||
    written.property !== undefined;
  return asksOp && Object.keys(peers).length === 0 && Object.keys(topology).length === 0;
}

// `expect` keeps null: there it is a value to compare with. In an input it leaves the member out.
function concreteStep(written: JsonObject, scope: Scope, at: Path): Step {
  const kind = kindOf(written) ?? '';
  const { expect, [kind]: content, ...common } = written;
  const members = objectOf(interpolate(common, scope, { partial: true, at }));
  const { id, control, within, capture, on } = members;
  return {
    id: String(id),
    kind,
    input: stepInput(content, kind, scope, at),
    ...(control === true ? { control } : {}),
    ...(typeof within === 'string' ? { within } : {}),
    ...(capture === undefined ? {} : { capture }),
    ...(isList(on) ? { on: onRules(on) } : {}),
    ...(expect === undefined ? {} : { expect: interpolate(expect, scope, { partial: true, at: [...at, 'expect'] }) }),
    at,
  };
}

function stepInput(content: unknown, kind: string, scope: Scope, at: Path): unknown {
  return interpolate(content, scope, {
    partial: true,
    dropNull: kind !== 'parallel' && kind !== 'repeat',
    at: [...at, kind],
  });
}

function onRules(on: readonly unknown[]): NonNullable<Step['on']> {
  return on.filter(isObject).map((rule) => ({ ...rule, open: String(rule['open']) }));
}

// A window decides the layer: the same expectations are asked of the operation or read from the trace.
function layerOf(written: WrittenCase, vantage: Vantage | undefined, { defaults }: ExpandContext): Layer {
  const stated = written.layer ?? defaults.layer;
  if (stated === 'property' || written.property !== undefined) return 'property';
  if (vantage !== undefined) return vantage;
  if (stated !== undefined) return stated;
  const kinds = (written.steps ?? []).map((step) => kindOf(step));
  if (kinds.includes('trace')) return 'trace';
  return kinds.every((kind) => kind === 'op') ? 'op' : 'wire';
}

// Watch takes the next request from any sender, so nothing else may send meanwhile.
function isolationOf(written: WrittenCase, layer: Layer, { defaults }: ExpandContext): Isolation {
  const stated = written.isolation ?? defaults.isolation;
  if (written.vantage !== undefined || defaults.vantage !== undefined) return layer === 'trace' ? 'exclusive' : 'host';
  return stated ?? (layer === 'trace' ? 'exclusive' : 'host');
}

/** What is configured, and what is asked to be validated. */
function resourcesOf({ config, steps, topology }: Content): readonly JsonObject[] {
  const validated = steps.flatMap(({ input }) => (isObject(input) ? [objectOf(input['validate'])['resource']] : []));
  // Which rule a request takes is one question, whichever routes the rules stand in.
  const rules = topology.routes.flatMap((route) => route.rules);
  return [{ kind: 'HTTPRoute', spec: { rules } }, ...config, ...validated.filter(isObject)];
}

/** Formats in which the steps ask for models: another than the provider's is one more thing to stand on. */
function formatsAsked({ steps }: Content): readonly LlmFormat[] {
  return steps.flatMap(({ kind, input }) => (kind === 'llm' ? [formatOf(objectOf(input))] : []));
}

interface WhatIsTried {
  readonly resources: readonly JsonObject[];
  readonly asked: readonly LlmFormat[];
}

/**
 * What the author states, what the file says for all its cases, and what shows the features that the case needs and the fields that its
 * resources set. What shows one of these stands on the ground alone, and on what its author states; the ground stands on nothing, and no
 * case on itself.
 */
function requiredBy(
  written: WrittenCase,
  { id, needs, resources, asked }: Pick<ConcreteCase, 'id' | 'needs'> & WhatIsTried,
  { defaults }: ExpandContext,
): readonly string[] {
  const itself = { id, baseId: written.id };
  if (standsOn(groundCases(), itself)) return [];
  const shown = [...shownByFeatures(needs, resources), ...shownByFields(resources, asked)];
  const stated = written.requires ?? [];
  const all = new Set([...(defaults.requires ?? []), ...stated, ...shown]);
  const others = [...all].filter((required) => !standsOn([required], itself));
  if (!standsOn(foundationCases(), itself)) return others;
  return others.filter((required) => stated.includes(required) || groundCases().includes(required));
}

/** What the author states, and what follows from the routes and the steps: an operation, the watch mode, the command of the client. */
function needsOf(written: WrittenCase, layer: Layer, { defaults }: ExpandContext): readonly string[] {
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
  return [...new Set([...(defaults.needs ?? []), ...(written.needs ?? []), ...implied])];
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
  ['core.timeouts', ({ timeouts }: Rule) => timeouts !== undefined],
  ['core.weights', ({ to }: Rule) => Array.isArray(to) && to.length > 1],
]);

/** What a row takes beyond its case. */
function needsOfRow(row: unknown): readonly string[] {
  const needs = isObject(row) ? row['needs'] : undefined;
  return Array.isArray(needs) ? needs.map(String) : [];
}

/** Keys of the kinds of steps, for lint and skeletons. */
export const STEP_KINDS: readonly string[] = Object.keys(stepKinds);

function objectsOf(value: unknown): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(objectOf(value)).flatMap(([key, item]) => (isObject(item) ? [[key, item] as const] : [])),
  );
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}
