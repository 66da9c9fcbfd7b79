import { levelOf } from '../clauses/register.ts';
import type { Register } from '../clauses/register.ts';
import { AuthoringError } from '../values/authoring-error.ts';
import type { Path } from '../values/check.ts';
import { isList, isObject } from '../values/json.ts';
import { matcherProblems } from '../values/matcher-problems.ts';
import { nearest } from '../values/nearest.ts';
import { placeholders } from '../values/variables.ts';
import type { ConcreteCase } from './concrete-case.ts';
import type { Problem } from './problem.ts';
import { sortProblems } from './problem.ts';
import { allListeners, renderCase } from './topology.ts';

/** What cases are held against. */
export interface LintContext {
  readonly register: Pick<Register, 'clauses' | 'features' | 'openPoints'>;
  /** Ids of the gallery's defects; undefined while there is no gallery. */
  readonly defects?: ReadonlySet<string>;
}

interface Finding {
  readonly at: Path;
  /** The key at the path is wrong, not its value. */
  readonly key?: 'key';
  readonly message: string;
}

type Rule = (given: ConcreteCase, context: LintContext) => readonly Finding[];

const RULES: readonly Rule[] = [
  titleStatesAFact,
  clausesAreKnown,
  levelFollowsTheClauses,
  featuresAreKnown,
  openPointsAreKnown,
  mustLevelNamesDefects,
  negativeHasAWitness,
  somethingIsChecked,
  stepIdsAreUnique,
  peersAreKnown,
  tracesAreArmed,
  matchersAreKnown,
  variablesAreKnown,
  shorthandFills,
];

/** Everything an author can get wrong that the schema does not see. One finding per place, whatever the number of rows. */
export function lintCases(cases: readonly ConcreteCase[], context: LintContext): readonly Problem[] {
  const found = new Map<string, Problem>();
  for (const given of cases) {
    for (const { at, message, key: part } of RULES.flatMap((rule) => rule(given, context))) {
      const key = `${given.file} ${at.join('/')} ${message}`;
      if (!found.has(key)) found.set(key, { file: given.file, message, position: given.position(at, part) });
    }
  }
  return sortProblems([...found.values(), ...duplicateIds(cases)]);
}

function duplicateIds(cases: readonly ConcreteCase[]): readonly Problem[] {
  const first = new Map<string, ConcreteCase>();
  return cases.flatMap((given) => {
    const other = first.get(given.id);
    if (other === undefined) first.set(given.id, given);
    if (other === undefined) return [];
    const place = `${other.file}:${other.position([...other.at, 'id']).line}`;
    return [
      {
        file: given.file,
        message: `id ${given.id} is taken by ${place}`,
        position: given.position([...given.at, 'id']),
      },
    ];
  });
}

function titleStatesAFact({ title, at }: ConcreteCase): readonly Finding[] {
  const wish = /\bshould\b|^tests?\b/i.exec(title)?.[0];
  return wish === undefined
    ? []
    : [{ at: [...at, 'title'], message: `"${wish}": a title states the fact, not a wish` }];
}

function clausesAreKnown({ clauses, at }: ConcreteCase, { register }: LintContext): readonly Finding[] {
  return clauses.flatMap(({ id }, index) =>
    register.clauses.has(id)
      ? []
      : [{ at: [...at, 'clauses', index, 'id'], message: unknown('clause', id, register.clauses.keys()) }],
  );
}

// Severity comes from the clauses: a case may not gate what the documents leave open, nor let off what they demand.
function levelFollowsTheClauses(
  { level, clauses, assumes, at }: ConcreteCase,
  { register }: LintContext,
): readonly Finding[] {
  const derived = levelOf(register.clauses, clauses);
  if (derived === undefined || derived === level) return [];
  if (level === 'observe' && assumes.length > 0) return [];
  const open = clauses.find(({ id }) => register.clauses.get(id)?.level === 'UNSPECIFIED');
  const why =
    level === 'must' && open !== undefined
      ? `${open.id} is UNSPECIFIED and cannot gate`
      : `its clauses give ${derived}`;
  return [{ at: [...at, 'level'], message: `level ${level}, but ${why}` }];
}

function featuresAreKnown({ needs, at }: ConcreteCase, { register }: LintContext): readonly Finding[] {
  const known = new Set(register.features.map(({ id }) => id));
  return needs.flatMap((id, index) =>
    known.has(id) ? [] : [{ at: [...at, 'needs', index], message: unknown('feature', id, known) }],
  );
}

function openPointsAreKnown({ assumes, at }: ConcreteCase, { register }: LintContext): readonly Finding[] {
  const known = new Set(register.openPoints.map(({ id }) => id));
  return assumes.flatMap((id, index) =>
    known.has(id) ? [] : [{ at: [...at, 'assumes', index], message: unknown('open point', id, known) }],
  );
}

function mustLevelNamesDefects({ level, kills, at }: ConcreteCase, { defects }: LintContext): readonly Finding[] {
  if (level === 'must' && kills.length === 0) {
    return [{ at: [...at, 'id'], message: 'a must-level case names at least one defect it would catch under kills' }];
  }
  return kills.flatMap((id, index) =>
    defects === undefined || defects.has(id)
      ? []
      : [{ at: [...at, 'kills', index], message: unknown('defect', id, defects) }],
  );
}

// "It did not happen" is also true of a proxy that is not there: something has to show that it could have happened.
function negativeHasAWitness({ layer, clauses, steps, witness, at }: ConcreteCase): readonly Finding[] {
  const onTheWire = layer === 'wire' || layer === 'trace';
  const index = clauses.findIndex((clause) => clause.as === 'negative');
  if (!onTheWire || index === -1 || clauses.some((clause) => clause.as === 'positive')) return [];
  if (
    witness.length > 0 ||
    allSteps(steps.map(({ input, kind, control }) => ({ [kind]: input, control }))).some(
      (step) => step['control'] === true,
    )
  )
    return [];
  return [
    { at: [...at, 'clauses', index], message: 'a case with only negative clauses needs a control step or a witness' },
  ];
}

function somethingIsChecked({ steps, expect, property, at }: ConcreteCase): readonly Finding[] {
  const checked = steps.some(
    (step) => step.expect !== undefined || allSteps(step.input).some((inner) => inner['expect'] !== undefined),
  );
  if (checked || property !== undefined || Object.keys(expect).length > 0) return [];
  return [{ at: [...at, 'id'], message: 'the case expects nothing: zero checks' }];
}

function stepIdsAreUnique({ steps }: ConcreteCase): readonly Finding[] {
  const seen = new Set<string>();
  return steps.flatMap(({ id, at }) => {
    if (!seen.has(id)) return seen.add(id) && [];
    return [{ at: [...at, 'id'], message: `step id ${id} is used twice` }];
  });
}

function peersAreKnown(given: ConcreteCase): readonly Finding[] {
  const { peers, expect, at, witness, topology, config } = given;
  const services = config.flatMap(({ kind, metadata }) =>
    kind === 'Service' && isObject(metadata) ? [metadata['name']] : [],
  );
  const named: Finding[] = [
    ...(['received', 'attempted'] as const).flatMap((key) =>
      Object.keys(expect[key] ?? {}).map((message) => ({
        at: [...at, 'expect', key, message],
        key: 'key' as const,
        message,
      })),
    ),
    ...witness.flatMap((path, index) => {
      const [kind, message] = path.split('.');
      return kind === 'trace' || message === undefined ? [] : [{ at: [...at, 'witness', index], message }];
    }),
    ...topology.routes.flatMap(({ rules }) =>
      rules.flatMap(({ to }) =>
        to.flatMap(({ kind, name }) =>
          kind === 'backend' || services.includes(name) ? [] : [{ at: [...at, 'topology'], message: name }],
        ),
      ),
    ),
  ];
  return named.flatMap(({ message: name, ...place }) =>
    Object.hasOwn(peers, name) || name.includes('${')
      ? []
      : [{ ...place, message: unknown('peer', name, Object.keys(peers)) }],
  );
}

function tracesAreArmed({ steps, expect, at }: ConcreteCase): readonly Finding[] {
  const armed = allSteps(steps.map(({ kind, input }) => ({ [kind]: input }))).flatMap(({ trace }) =>
    isObject(trace) ? [trace['watch']] : [],
  );
  return Object.keys(expect.trace ?? {}).flatMap((name) =>
    armed.includes(name)
      ? []
      : [{ at: [...at, 'expect', 'trace', name], key: 'key', message: `no trace step watches as ${name}` }],
  );
}

function matchersAreKnown({ steps, expect, at }: ConcreteCase): readonly Finding[] {
  return [
    ...matcherProblems(expect, [...at, 'expect']),
    ...steps.flatMap((step) => [
      ...(step.expect === undefined ? [] : matcherProblems(step.expect, [...step.at, 'expect'])),
      ...nestedExpectations(step.input, [...step.at, step.kind]).flatMap((inner) =>
        matcherProblems(inner.expect, inner.at),
      ),
    ]),
  ];
}

function variablesAreKnown(given: ConcreteCase): readonly Finding[] {
  const { peers, topology, steps, expect, config, at } = given;
  const roots = new Set([
    'case',
    'row',
    'peers',
    'listeners',
    'unspecified',
    'data',
    'admin',
    'repeat',
    ...captureNames(steps),
    ...captureNames(expect),
  ]);
  const known: Readonly<Record<string, readonly string[]>> = {
    peers: Object.keys(peers),
    listeners: allListeners(topology).map(({ name }) => name),
  };
  const places = [
    ...placeholders(given.peers, [...at, 'peers']),
    ...placeholders(config, [...at, 'config']),
    ...placeholders(expect, [...at, 'expect']),
    ...steps.flatMap((step) => [
      ...placeholders(step.input, [...step.at, step.kind]),
      ...placeholders(step.expect, [...step.at, 'expect']),
    ]),
  ];
  return places.flatMap(({ name, at: place }) => {
    const [root = '', member = ''] = name.split('.');
    if (!roots.has(root)) return [{ at: place, message: unknownVariable(name, root, roots) }];
    const members = known[root];
    return members === undefined || members.includes(member)
      ? []
      : [{ at: place, message: unknown(root.slice(0, -1), member, members) }];
  });
}

/** Names under `~capture` and under the `capture` of steps. */
function captureNames(value: unknown): readonly string[] {
  if (isList(value)) return value.flatMap(captureNames);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (key === '~capture') return [String(item)];
    return key === 'capture' && isObject(item) ? Object.keys(item) : captureNames(item);
  });
}

/** Renders the resources with stand-ins for what only the run knows, to see that the shorthand can be filled. */
function shorthandFills(given: ConcreteCase): readonly Finding[] {
  const stand = { host: '127.0.0.1', port: 1, authority: '127.0.0.1:1', url: 'http://127.0.0.1:1', socket: '' };
  const peers = Object.fromEntries(
    Object.entries(given.peers).map(([name, { unix }]) => [
      name,
      unix === true ? stand : { ...stand, socket: undefined },
    ]),
  );
  const listeners = Object.fromEntries(allListeners(given.topology).map(({ name }) => [name, stand]));
  const scope = { case: given, row: given.row, peers, listeners, unspecified: {}, data: stand, admin: stand };
  try {
    renderCase(given, { scope, listenerPort: () => stand.port });
    return [];
  } catch (error) {
    // Unknown variables have their own rule, which knows the names of captures.
    if (!(error instanceof AuthoringError) || error.message.startsWith('unknown variable')) return [];
    return [{ at: error.at, message: error.message }];
  }
}

/** All step objects below a value, for `parallel` and `repeat`. */
function allSteps(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (isList(value)) return value.flatMap(allSteps);
  if (!isObject(value)) return [];
  return [value, ...['parallel', 'repeat', 'steps', 'step'].flatMap((key) => allSteps(value[key]))];
}

function nestedExpectations(value: unknown, at: Path): readonly { readonly expect: unknown; readonly at: Path }[] {
  if (isList(value)) return value.flatMap((item, index) => nestedExpectations(item, [...at, index]));
  if (!isObject(value) || !('id' in value || 'steps' in value || 'step' in value)) return [];
  const own = value['expect'] === undefined ? [] : [{ expect: value['expect'], at: [...at, 'expect'] }];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, item]) => (key === 'expect' ? [] : nestedExpectations(item, [...at, key]))),
  ];
}

function unknownVariable(name: string, root: string, roots: Iterable<string>): string {
  const hint = nearest(root, [...roots]);
  return `unknown variable \${${name}}${hint === undefined ? '' : `, did you mean \${${name.replace(root, hint)}}?`}`;
}

function unknown(what: string, name: string, known: Iterable<string>): string {
  const names = [...known];
  const hint = nearest(name, names);
  if (hint !== undefined) return `unknown ${what} ${name}, did you mean ${hint}?`;
  return names.length > 12 || names.length === 0
    ? `unknown ${what} ${name}`
    : `unknown ${what} ${name}; known are ${names.join(', ')}`;
}
