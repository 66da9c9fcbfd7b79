import type { CaseDocument, Json } from '../verdicts.ts';

type Path = readonly (string | number)[];

/** Documents that differ in one place from one of those given: another value, or members of an object of the same name elsewhere. */
export function changedDocuments(
  documents: readonly CaseDocument[],
  count: number,
  random: () => number,
): readonly CaseDocument[] {
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const objects = objectsByName(documents);
  return Array.from({ length: count }, (_, index) => {
    const { id = '', resource = {} } = pick(documents) ?? {};
    const { path, value } = pick(placesIn(resource).filter(mayChange)) ?? { path: [], value: resource };
    const others = isObject(value) ? (objects.get(nameOf(path)) ?? []) : [];
    const mixed = others.length > 0 && random() < MIXED ? [mix(value, pick(others), random)] : [];
    const changed = pick(mixed.length > 0 ? mixed : othersFor(value));
    const change = `${path.join('.')}=${JSON.stringify(changed)?.slice(0, SHOWN)}`;
    return { id: `${id}~${index} ${change}`, resource: withValue(resource, path, changed) as Json };
  });
}

/** Of the objects that are changed, how many get members of others instead of being replaced. */
const MIXED = 0.8;
const SHOWN = 60;
/** An API server takes a number for an integer that differs from one by less than a 500,000,000th of itself. */
const LARGEST_WITH_FRACTION = 250_000_000;

interface Place {
  readonly path: Path;
  readonly value: unknown;
}

function placesIn(value: unknown, path: Path = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const members = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item] as const)
    : Object.entries(value);
  return [{ path, value }, ...members.flatMap(([step, member]) => placesIn(member, [...path, step]))];
}

/** Without its kind nobody knows what a document is. */
function mayChange({ path }: Place): boolean {
  return path.length > 1;
}

function objectsByName(documents: readonly CaseDocument[]): ReadonlyMap<string, readonly Json[]> {
  const places = documents.flatMap(({ resource }) => placesIn(resource)).filter(mayChange);
  const found = Map.groupBy(places, ({ path }) => nameOf(path));
  return new Map([...found].map(([name, all]) => [name, all.map(({ value }) => value).filter(isObject)]));
}

/** Of an item, the name of its list. */
function nameOf(path: Path): string {
  return String(path.findLast((step) => typeof step === 'string'));
}

function mix(value: unknown, other: unknown, random: () => number): unknown {
  const taken = Object.entries(isObject(other) ? other : {}).filter(() => random() < 0.5);
  return { ...(isObject(value) ? value : {}), ...Object.fromEntries(taken) };
}

/** Values at the edges of what the type of this one may be, and of other types. */
function othersFor(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return textsLike(value);
  // Beyond what a double holds exactly, JSON of this language and that of an API server are two things.
  if (typeof value === 'number') {
    const fraction = Math.abs(value) < LARGEST_WITH_FRACTION ? [value + 0.5] : [];
    return [...fraction, -value, 0, 2 ** 31, 2 ** 32, 1e300, String(value), null];
  }
  if (typeof value === 'boolean') return [!value, String(value), 1, null];
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return [null, [], {}, [...items, ...items], [...items, null], 'x'];
  }
  return [null, {}, [], 'x', { ...(isObject(value) ? value : {}), unknown: 1 }];
}

function textsLike(text: string): readonly unknown[] {
  const longer = ['😀'.repeat(128), '😀'.repeat(256), '😀'.repeat(257), 'é'.repeat(64), `${'a'.repeat(63)}.b`];
  const near = [`${text}\n`, `\n${text}`, `${text} `, text.toUpperCase(), '\u2028', 'a\u0000b'];
  return [
    ...longer,
    ...near,
    '',
    '*',
    '0s',
    '-1s',
    '1.5s',
    '100000h',
    '1e3',
    '0x10',
    null,
    0,
    true,
    [text],
    { a: text },
  ];
}

function withValue(target: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(target))
    return target.map((item: unknown, index) => (index === step ? withValue(item, rest, value) : item));
  const object = isObject(target) ? target : {};
  return { ...object, [step]: withValue(object[step], rest, value) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
