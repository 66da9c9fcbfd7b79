import fc from 'fast-check';
import { createBuilder, lastName, type Builder } from '../case/generate/build.ts';
import { fieldCandidates, groupCandidates, type Candidate, type Ground } from '../case/generate/candidates.ts';
import { fieldTable, groupsOf, partners, typeParts, type Field } from '../case/generate/field-table.ts';
import { fragments, skips } from '../case/generate/fragments.ts';
import { findPlaces, isStatus, type Place } from '../case/generate/places.ts';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { isList, isObject, type JsonObject } from '../values/json.ts';
import { once } from '../values/once.ts';
import type { Family } from './property.ts';

/**
 * Documents with several things changed at once, right and wrong: accepted when every change is right. Others with any JSON in any
 * place: what is said of them is open, but it is said.
 */
export const admission: Family = {
  noun: 'documents',
  examples: (one, max) => {
    const blocks = blocksOf();
    const changed = fc
      .constantFrom(...blocks)
      .chain((block) => changesOf(block, max).map((changes) => judged(one, block, changes)));
    const wild = fc
      .tuple(fc.constantFrom(...blocks), fc.nat(), ANYTHING)
      .map(([block, at, value]) => answered(one, block, { at, value }));
    return fc.oneof({ weight: 6, arbitrary: changed }, { weight: 1, arbitrary: wild });
  },
};

/** A building block where it stands, and for each of its fields and groups what may be put there. */
interface Block {
  readonly kind: string;
  readonly place: Place;
  readonly alone: readonly (readonly Candidate[])[];
  readonly ofGroups: readonly (readonly Candidate[])[];
  readonly builder: Builder;
}

const ANYTHING = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', '\u0000', 'a'.repeat(70_000), -1, 1e300, 2 ** 53, '__proto__', ['a', ['b']], { '': null }),
);

/** Every block of the table whose bounds are known, where it stands first. */
const blocksOf = once((): readonly Block[] => {
  const table = fieldTable();
  const ground: Ground = { table, fragments: fragments(), builder: createBuilder(table, fragments()) };
  const places = [...findPlaces(table, ground.fragments)].filter(([, place]) => place.assumes.length === 0);
  return places.map(([kind, place]) => blockOf(kind, place, ground)).filter(({ alone }) => alone.length > 0);
});

function blockOf(kind: string, place: Place, ground: Ground): Block {
  const { table, builder } = ground;
  const isSkipped = skips(ground.fragments);
  const known = (key: string) => (candidate: Candidate) =>
    !isSkipped(`${kind}.${key}[${candidate.name}]`) && !AMBIGUOUS.has(candidate.name);
  const fields = table.of(kind).filter((field) => isIndependent(field, ground));
  const alone = fields.map((field) => fieldCandidates(field, ground).filter(known(field.path)));
  const groups = [...groupCandidates(kind, ground)].map(([group, candidates]) => {
    const member = candidates[1]?.leaves.at(-1)?.[0] ?? '';
    const parent = member.slice(0, -lastName(member).length);
    const begin = /#([^:]+)/.exec(group)?.[1];
    return parent === '' ? candidates.filter(known(`exclusive${begin === undefined ? '' : `-${begin}`}`)) : [];
  });
  return { kind, place, alone: alone.filter(some), ofGroups: groups.filter(some), builder };
}

function some(candidates: readonly Candidate[]): boolean {
  return candidates.length > 0;
}

// Whether a group may be empty depends on what else stands there.
const AMBIGUOUS: ReadonlySet<string> = new Set(['none', 'left-out']);

/** A field of the block itself that no group, no other field and no other value has a say in. */
function isIndependent(field: Field, ground: Ground): boolean {
  const { table, fragments: given } = ground;
  const { kind, path, required, type } = field;
  const key = `${kind}.${path}`;
  const isWanted = Object.keys(given.with).some((one) => one === key || one.startsWith(`${key}=`));
  return (
    !path.includes('.') &&
    path !== '(inline)' &&
    !isStatus({ kind, path }) &&
    required !== 'conditional' &&
    groupsOf(field).length === 0 &&
    partners(field, table).length === 0 &&
    !isWanted &&
    !isBounded(field, ground) &&
    !table.isBlock(typeParts(type).item)
  );
}

/** `minProtocolVersion` beside `maxProtocolVersion`: a lower bound above the upper one is nothing the table speaks of. */
function isBounded({ kind, path }: Field, { table }: Ground): boolean {
  const [, bound, rest] = /^(min|max)([A-Z].*)?$/.exec(path) ?? [];
  return bound !== undefined && table.find(kind, `${bound === 'min' ? 'max' : 'min'}${rest ?? ''}`) !== undefined;
}

/** Up to `max` changes of different fields, and of at most one group: no change takes another one back. */
function changesOf({ alone, ofGroups }: Block, max: number): fc.Arbitrary<readonly Candidate[]> {
  const fields = fc
    .subarray([...alone], { minLength: 1, maxLength: Math.min(max, alone.length) })
    .chain((chosen) => fc.tuple(...chosen.map((candidates) => fc.constantFrom(...candidates))));
  if (ofGroups.length === 0) return fields;
  const group = fc.option(fc.constantFrom(...ofGroups).chain((candidates) => fc.constantFrom(...candidates)));
  return fc.tuple(group, fields).map(([first, rest]) => (first === null ? rest : [first, ...rest]));
}

function judged(one: ConcreteCase, block: Block, changes: readonly Candidate[]): ConcreteCase {
  const leaves = changes.flatMap((change) => [...change.leaves]);
  const resource = block.builder.resource(block.place, block.kind, leaves);
  return asked(
    one,
    block,
    resource,
    changes.every(({ accepted }) => accepted),
  );
}

/** The n-th place of a document taken by something else. */
function answered(
  one: ConcreteCase,
  block: Block,
  { at, value }: { readonly at: number; readonly value: unknown },
): ConcreteCase {
  const resource = block.builder.resource(block.place, block.kind, []);
  const paths = pathsBelow(resource);
  const path = paths[at % paths.length] ?? [];
  const changed = put(resource, path, value);
  return asked(one, block, isObject(changed) ? changed : {}, { '~type': 'boolean' });
}

function asked(one: ConcreteCase, { place }: Block, resource: JsonObject, accepted: unknown): ConcreteCase {
  const step = {
    id: 'document',
    kind: 'op',
    input: { validate: { resource, asWritten: true } },
    expect: { result: { accepted } },
    at: [...one.at, 'property', 'check', 0],
  };
  return { ...one, needs: [...new Set([...one.needs, ...place.needs])], steps: [step] };
}

type Steps = readonly (string | number)[];

/** Every place of a document below its root, the outer ones first. */
function pathsBelow(value: unknown, here: Steps = []): readonly Steps[] {
  const entries: readonly (readonly [string | number, unknown])[] = isList(value)
    ? value.map((item, index) => [index, item] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return entries.flatMap(([name, item]) => [[...here, name], ...pathsBelow(item, [...here, name])]);
}

function put(owner: unknown, [name, ...rest]: Steps, value: unknown): unknown {
  if (name === undefined) return value;
  if (isList(owner)) return owner.map((item, index) => (index === name ? put(item, rest, value) : item));
  if (!isObject(owner)) return owner;
  return { ...owner, [name]: put(owner[name], rest, value) };
}
