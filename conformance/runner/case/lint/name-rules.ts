import { AuthoringError } from '../../values/authoring-error.ts';
import type { Path } from '../../values/check.ts';
import { isList, isObject } from '../../values/json.ts';
import { matcherProblems } from '../../values/matcher-problems.ts';
import { nearest } from '../../values/nearest.ts';
import { unknownName } from '../../values/unknown-name.ts';
import { placeholders } from '../../values/variables.ts';
import type { ConcreteCase } from '../concrete-case.ts';
import { allListeners, renderCase } from '../topology.ts';
import type { Finding } from './rule.ts';

/** Every peer that is named is declared. */
export function peersAreKnown(given: ConcreteCase): readonly Finding[] {
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
      : [{ ...place, message: unknownName('peer', name, Object.keys(peers)) }],
  );
}

/** Matchers exist, and their arguments make sense. */
export function matchersAreKnown({ steps, expect, at }: ConcreteCase): readonly Finding[] {
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

/** Every placeholder will have a value when the case runs. */
export function variablesAreKnown(given: ConcreteCase): readonly Finding[] {
  const { peers, topology, steps, expect, config, at } = given;
  const roots = new Set([
    'case',
    'row',
    'peers',
    'listeners',
    'unspecified',
    'suite',
    'data',
    'admin',
    'client',
    'repeat',
    'tokens',
    ...captureNames(steps),
    ...captureNames(expect),
  ]);
  const known: Readonly<Record<string, readonly string[]>> = {
    peers: Object.keys(peers),
    listeners: allListeners(topology).map(({ name }) => name),
    tokens: Object.keys(given.tokens ?? {}),
  };
  const places = [
    ...placeholders(given.peers, [...at, 'peers']),
    ...placeholders(given.tokens, [...at, 'tokens']),
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
      : [{ at: place, message: unknownName(root.slice(0, -1), member, members) }];
  });
}

/** Renders the resources with stand-ins for what only the run knows, to see that the shorthand can be filled. */
export function shorthandFills(given: ConcreteCase): readonly Finding[] {
  const stand = {
    host: '127.0.0.1',
    port: 1,
    authority: '127.0.0.1:1',
    url: 'http://127.0.0.1:1',
    socket: '',
    name: '',
  };
  const peers = Object.fromEntries(
    Object.entries(given.peers).map(([name, { unix }]) => [
      name,
      unix === true ? stand : { ...stand, socket: undefined },
    ]),
  );
  const listeners = Object.fromEntries(allListeners(given.topology).map(({ name }) => [name, stand]));
  const identity = { certificate: '', key: '' };
  const suite = { ca: '', otherCa: '', client: identity, otherClient: identity };
  const scope = {
    case: given,
    row: given.row,
    peers,
    listeners,
    unspecified: {},
    suite,
    data: stand,
    admin: stand,
    client: stand,
  };
  try {
    renderCase(given, { scope, listenerPort: () => stand.port });
    return [];
  } catch (error) {
    // Unknown variables have their own rule, which knows the names of captures.
    if (!(error instanceof AuthoringError) || error.message.startsWith('unknown variable')) return [];
    return [{ at: error.at, message: error.message }];
  }
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
