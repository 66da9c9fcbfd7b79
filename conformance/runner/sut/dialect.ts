import path from 'node:path';
import { z } from 'zod';
import { mapExpressionsAt } from '../values/expressions/places.ts';
import { respell, type Spelling } from '../values/expressions/respell.ts';
import { fitter, type Place } from '../values/place.ts';
import { readUserFile } from '../values/user-file.ts';
import { checkUserYaml } from '../values/user-yaml.ts';
import { lowerFirst, permutationOf, type Permutation } from './permutation.ts';
import { UsageFault, type Violation } from './session.ts';

const namesTable = z.record(z.string(), z.string());
const dialectSchema = z.strictObject({
  /** API group that takes the place of `proxy.example`. */
  group: z.string().optional(),
  /** API version that takes the place of `v1alpha1`. */
  version: z.string().optional(),
  kinds: namesTable.default({}),
  /** Path of an object (`ProxyBackend.spec.ai.provider`, `*.auth`) to the renaming of its members. */
  members: z.record(z.string(), namesTable).default({}),
  /** Path of a text (`*.traffic.phase`, `*.routes.*`) to the renaming of its values, by table or by a rule for their case. */
  enums: z.record(z.string(), z.union([namesTable, z.enum(['lowerFirst'])])).default({}),
  /** Whole text values, wherever they stand. */
  values: namesTable.default({}),
  /** Names inside expressions: variables (`request.headers`), functions (`cidr()`), methods (`.containsIP()`). */
  expressions: namesTable.default({}),
});

type DialectData = z.infer<typeof dialectSchema>;

/** Renaming of resources and answers, both ways. Paths are canonical, without list indices. */
export interface Dialect {
  readonly toImplementation: (resource: unknown) => unknown;
  /** `root` is where an answer of an operation stands in a resource: `ProxyPolicy.spec.traffic`. */
  readonly toCanonical: (value: unknown, root?: string) => unknown;
  /** A refusal of a resource of a (canonical) kind: its path, and the words of its message that belong to that path. */
  readonly violationToCanonical: (violation: Violation, kind: string | undefined) => Violation;
}

export const canonical: Dialect = {
  toImplementation: (value) => value,
  toCanonical: (value) => value,
  violationToCanonical: (violation) => violation,
};

const GROUP = 'proxy.example';
const VERSION = 'v1alpha1';
/** Member and enum rules hold inside these kinds only: a Secret or an HTTPRoute keeps what it says. */
const OWN_KINDS: ReadonlySet<string | undefined> = new Set([
  'ProxyBackend',
  'ProxyModel',
  'ProxyModelList',
  'ProxyParameters',
  'ProxyPolicy',
]);

/** Reads the dialect a manifest names: `canonical`, or a file relative to the manifest. Throws UsageFault. */
export function loadDialect(name: string, folder: string): Dialect {
  if (name === 'canonical') return canonical;
  const file = path.resolve(folder, name);
  const read = readUserFile(file);
  if ('problem' in read) throw new UsageFault(read.problem);
  const checked = checkUserYaml({ file, text: read.text, whole: 'dialect', empty: {} }, dialectSchema);
  if ('problems' in checked) throw new UsageFault(checked.problems.join('\n'));
  try {
    return createDialect(checked.value);
  } catch (error) {
    throw new UsageFault(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A dialect from its data. Throws ZodError, and UsageFault for a renaming that could not be undone. */
export function createDialect(data: unknown): Dialect {
  const parsed = dialectSchema.parse(data);
  const rules = rulesOf(parsed);
  const names = requirePermutation(parsed.expressions);
  const written = Object.entries(parsed.expressions);
  const there: Spelling = new Map(written);
  const back: Spelling = new Map(written.map(([name]) => [names.there(name), name]));
  return {
    toImplementation: (resource) => rename(spell(resource, undefined, there), undefined, '', { rules, way: 'there' }),
    toCanonical: (value, root) => spell(rename(value, root?.split('.'), '', { rules, way: 'back' }), root, back),
    violationToCanonical: (violation, kind) => canonicalViolation(violation, kind, rules),
  };
}

function spell(value: unknown, root: string | undefined, spelling: Spelling): unknown {
  return spelling.size === 0 ? value : mapExpressionsAt(value, root?.split('.'), (text) => respell(text, spelling));
}

/** The effective policy of a phase in canonical names; it stands in the section of a policy that its phase says. */
export function canonicalPolicy(policy: unknown, phase: unknown, dialect: Dialect): unknown {
  return dialect.toCanonical(policy, `ProxyPolicy.spec.${SECTIONS[String(phase)] ?? 'traffic'}`);
}

const SECTIONS: Readonly<Record<string, string>> = {
  frontend: 'frontend',
  listenerFrontend: 'frontend',
  backend: 'backend',
  subBackend: 'backend',
  inlineBackend: 'backend',
};

interface Rules {
  readonly kind: Permutation;
  readonly group: Permutation;
  readonly apiVersion: Permutation;
  readonly members: (place: Place) => Permutation | undefined;
  /** New words for the members of an object, for messages. */
  readonly words: (place: Place) => Readonly<Record<string, string>>;
  readonly value: (place: Place) => Permutation;
}

interface Direction {
  readonly rules: Rules;
  readonly way: 'there' | 'back';
}

function rulesOf(data: DialectData): Rules {
  const members = Object.entries(data.members).map(([pattern, table]) => ({
    fits: fitter(pattern),
    table,
    names: requirePermutation(table),
  }));
  const enums = Object.entries(data.enums).map(([pattern, rule]) => ({
    fits: fitter(pattern),
    names: rule === 'lowerFirst' ? lowerFirst : requirePermutation(rule),
  }));
  const values = requirePermutation(data.values);
  const group = requirePermutation({ [GROUP]: data.group ?? GROUP });
  return {
    kind: requirePermutation(data.kinds),
    group,
    apiVersion: apiVersions(group, requirePermutation({ [VERSION]: data.version ?? VERSION }), data.group ?? GROUP),
    members: (place) => members.find(({ fits }) => fits(place))?.names,
    words: (place) => members.find(({ fits }) => fits(place))?.table ?? {},
    value: (place) => enums.find(({ fits }) => fits(place))?.names ?? values,
  };
}

function requirePermutation(table: Readonly<Record<string, string>>): Permutation {
  const permutation = permutationOf(table);
  if (permutation === undefined)
    throw new UsageFault(`a dialect gives one name to two things: ${JSON.stringify(table)}`);
  return permutation;
}

function apiVersions(group: Permutation, version: Permutation, other: string): Permutation {
  const swap = (text: string): string => {
    const [left = '', right] = text.split('/');
    return right === undefined || (left !== GROUP && left !== other)
      ? text
      : `${group.there(left)}/${version.there(right)}`;
  };
  return { there: swap, back: swap };
}

function rename(value: unknown, place: Place, key: string, direction: Direction): unknown {
  if (typeof value === 'string') return renameText(value, place, key, direction);
  if (Array.isArray(value)) return value.map((item: unknown) => rename(item, place, key, direction));
  if (typeof value !== 'object' || value === null) return value;
  const { rules, way } = direction;
  const here = resourcePlace(value, key === '', direction) ?? place;
  const names = rules.members(here);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const renamed = names?.[way](name) ?? name;
      // The path is always the canonical one, so that a rule beneath a renamed member fits in both directions.
      const member = way === 'there' ? name : renamed;
      return [renamed, rename(item, here && [...here, member], member, direction)];
    }),
  );
}

function renameText(value: string, place: Place, key: string, { rules, way }: Direction): string {
  if (key === 'kind') return rules.kind[way](value);
  if (key === 'group') return rules.group[way](value);
  if (key === 'apiVersion') return rules.apiVersion[way](value);
  return rules.value(place)[way](value);
}

// Inside a resource only what also states its version is one: an item of a list of resources, and no mere reference.
function resourcePlace(value: object, top: boolean, { rules, way }: Direction): Place {
  if (!('kind' in value) || typeof value.kind !== 'string' || !(top || 'apiVersion' in value)) return undefined;
  const kind = way === 'there' ? value.kind : rules.kind.back(value.kind);
  return OWN_KINDS.has(kind) ? [kind] : undefined;
}

function canonicalViolation(violation: Violation, kind: string | undefined, rules: Rules): Violation {
  let place: Place = OWN_KINDS.has(kind) ? [kind ?? ''] : undefined;
  const words = new Map<string, string>();
  const learn = (): void => {
    for (const [name, said] of Object.entries(rules.words(place))) words.set(said, name);
  };
  // `spec.rules[0].match`: an index is no name.
  const there = violation.path?.replaceAll(/\[\d+\]|[\w-]+/g, (step) => {
    if (step.startsWith('[')) return step;
    learn();
    const name = rules.members(place)?.back(step) ?? step;
    place = place && [...place, name];
    return name;
  });
  learn();
  const message = violation.message.replaceAll(/[\w-]+/g, (word) => words.get(word) ?? rules.kind.back(word));
  return { ...violation, ...(there === undefined ? {} : { path: there }), message };
}
