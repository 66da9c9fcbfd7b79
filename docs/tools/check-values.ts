// Every list and every map of the schemas is delivered with as many entries as it may have (three, or two keys, where nothing says how many), every number and every duration
// with two values and every word of a closed set but the default, by a case that gates and sends something; or
// docs/spec/untried-values.yaml says why not. What falsified values do to cases is `conform ablate --operators`.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { fieldsOf, valuesOf } from '../../conformance/runner/ablate/fields.ts';
import type { ConcreteCase } from '../../conformance/runner/case/concrete-case.ts';
import { loadRunnable } from '../../conformance/runner/load-suite.ts';
import { isObject } from '../../conformance/runner/values/json.ts';
import { slowCasesFile } from '../../conformance/runner/schedule/past-durations.ts';
import { parseDuration } from '../../conformance/runner/sut/duration.ts';

const KINDS = ['ProxyPolicy', 'ProxyBackend', 'ProxyModel'] as const;
/** Of these names there are many, and whose they are is said by what stands in front of them. */
const OF_OTHERS: ReadonlySet<string> = new Set(['request', 'response', 'policy', 'regex', 'authorization']);
/** What generated schemas say of a duration. */
const DURATION = '^([0-9]{1,5}(h|m|s|ms)){1,4}$';
const ACCEPTED = 'docs/spec/untried-values.yaml';

/** Why a field is not tried; the list is closed. */
const REASONS = {
  later: 'the area has no cases yet that send something',
  open: 'the documents do not say what it does, so its cases observe',
  'no-effect': 'nothing that a proxy sends or answers depends on how many there are, or on the value',
  missing: 'a case is still to be written',
} as const;

const accepted = z.array(
  z.strictObject({ fields: z.array(z.string()).min(1), reason: z.enum(Object.keys(REASONS)), note: z.string() }),
);

interface Schema {
  readonly type?: string;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  /** What stands under any key; the object is a map then. */
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Demand {
  readonly of: 'list' | 'map' | 'number' | 'duration' | 'word';
  /** So many entries of a list or a map, so many values of a number or a duration, or the word of that name. */
  readonly least: number;
}

const demands = new Map<string, Demand>();
for (const kind of KINDS) collect(readSchema(kind), '');
const { cases } = await loadRunnable({});
const delivered = deliveredBySomeCase();
const excused = accepted.parse(parse(readFileSync(ACCEPTED, 'utf8'))).flatMap(({ fields }) => fields);

const problems = [
  ...[...demands]
    .filter(([field, demand]) => !isMet(field, demand) && !excused.includes(field))
    .map(([field, { of, least }]) => {
      if (of === 'word') return `no case delivers ${field}`;
      return `no case delivers ${least} ${of === 'list' || of === 'map' ? 'entries' : 'values'} of ${field}`;
    }),
  ...excused
    .filter((field) => !demands.has(field))
    .map((field) => `${ACCEPTED}: no list, map, number, duration or word is called ${field}`),
  ...excused
    .filter((field) => isMet(field, demands.get(field)))
    .map((field) => `${ACCEPTED}: ${field} is tried, take it out`),
  ...slowCasesThatAreGone().map((id) => `${slowCasesFile()}: no case is called ${id} (npm run slow-cases)`),
];
for (const problem of problems.toSorted()) console.error(problem);
const met = [...demands].filter(([field, demand]) => isMet(field, demand)).length;
console.log(
  `values: ${met} of ${demands.size} lists, maps, numbers, durations and words are tried, ${excused.length} have a reason`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

function isMet(field: string, demand: Demand | undefined): boolean {
  return demand !== undefined && (delivered.get(field)?.[demand.of] ?? 0) >= demand.least;
}

function readSchema(kind: string): Schema {
  // The file is ours, and generated.
  return JSON.parse(readFileSync(`schemas/resources/${kind}.schema.json`, 'utf8')) as Schema;
}

function collect(schema: Schema, path: string): void {
  if (path.startsWith('status') || path.startsWith('metadata')) return;
  // Where a server listens is not a number that somebody chooses.
  if (path.endsWith('.port')) return;
  if (schema.type === 'array' && schema.maxItems !== 1)
    demands.set(nameOf(path), { of: 'list', least: schema.maxItems ?? 3 });
  if (schema.type === 'integer' && !path.endsWith('[]')) demands.set(nameOf(path), { of: 'number', least: 2 });
  if (schema.pattern === DURATION) demands.set(nameOf(path), { of: 'duration', least: 2 });
  // A word of a list is an entry like any other.
  for (const word of path.endsWith('[]') ? [] : (schema.enum ?? []))
    if (word !== schema.default) demands.set(`${nameOf(path)}=${String(word)}`, { of: 'word', least: 1 });
  if (typeof schema.additionalProperties === 'object' && schema.maxProperties !== 1)
    demands.set(nameOf(path), { of: 'map', least: schema.maxProperties ?? 2 });
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    collect(member, path === '' ? name : `${path}.${name}`);
  if (schema.items !== undefined) collect(schema.items, `${path}[]`);
}

/**
 * A type that stands in several places counts once: the last two names of the path, and more where these are those of others. What a
 * frontend has, such as `tls`, no backend has.
 */
function nameOf(path: string): string {
  const names = path.replaceAll('[]', '').replaceAll('conditional.policy.', '').split('.');
  const owner = names.findLastIndex((name, index) => index < names.length - 1 && !OF_OTHERS.has(name));
  const last = names.slice(Math.max(owner, 0)).join('.');
  return names.includes('frontend') && names[owner] !== 'frontend' ? `frontend.${last}` : last;
}

interface Most {
  readonly list: number;
  readonly map: number;
  readonly number: number;
  readonly duration: number;
  readonly word: number;
}

/** The list of slow cases that the package ships names cases that are there. */
function slowCasesThatAreGone(): readonly string[] {
  const ids = new Set(cases.map(({ id }) => id));
  const told = Object.keys(JSON.parse(readFileSync(slowCasesFile(), 'utf8')) as Record<string, number>);
  return told.filter((id) => !ids.has(id));
}

function deliveredBySomeCase(): ReadonlyMap<string, Most> {
  const lengths = new Map<string, number>();
  const keys = new Map<string, number>();
  const numbers = new Map<string, Set<unknown>>();
  const texts = new Map<string, Set<string>>();
  const words = new Set<string>();
  for (const resource of cases.filter(sendsAndGates).flatMap(({ config }) => config)) {
    for (const field of fieldsOf(resource)) {
      const name = nameOf(field.path);
      for (const value of valuesOf(resource, field)) {
        if (Array.isArray(value)) lengths.set(name, Math.max(lengths.get(name) ?? 0, value.length));
        else if (isObject(value)) keys.set(name, Math.max(keys.get(name) ?? 0, Object.keys(value).length));
        if (typeof value === 'string') {
          words.add(`${name}=${value}`);
          texts.set(name, (texts.get(name) ?? new Set()).add(value));
        }
        if (typeof value === 'number') numbers.set(name, (numbers.get(name) ?? new Set()).add(value));
      }
    }
  }
  const names = new Set([...lengths.keys(), ...keys.keys(), ...numbers.keys(), ...texts.keys(), ...words]);
  return new Map(
    [...names].map((name) => [
      name,
      {
        list: lengths.get(name) ?? 0,
        map: keys.get(name) ?? 0,
        number: numbers.get(name)?.size ?? 0,
        duration: new Set([...(texts.get(name) ?? [])].map((text) => parseDuration(text) ?? text)).size,
        word: words.has(name) ? 1 : 0,
      },
    ]),
  );
}

function sendsAndGates({ layer, level }: ConcreteCase): boolean {
  return level === 'must' && (layer === 'wire' || layer === 'trace');
}
