import { featuresSetBy, hasParts, partsOf } from '../clauses/features.ts';
import { kindOf, stepKinds } from '../steps/registry.ts';
import type { Step } from '../steps/step.ts';
import type { Path } from '../values/check.ts';
import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { once } from '../values/once.ts';
import type { SourceDocument } from '../values/source-document.ts';
import { interpolate } from '../values/variables.ts';
import type { Scope } from '../values/variables.ts';
import type { Level } from '../verdict/verdict.ts';
import type { CaseExpectation, Citation, ConcreteCase, Isolation, Layer, Vantage } from './concrete-case.ts';
import { generatedCases } from './generate/generated-cases.ts';
import { statedNeeds } from './needs.ts';
import { normalTopology } from './normal-topology.ts';
import { requiredBy, resourcesOf } from './requires.ts';
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
  const stated = statedNeeds(written, variant.row, layer, context.defaults);
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
  const requires = once(() => requiredBy(written, { id, needs, content: content() }, context.defaults));
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
