import { typeParts, type Field, type FieldTable } from './field-table.ts';
import type { Fragments } from './fragments.ts';
import { kebab } from './kebab.ts';

/** One value for a field, and whether it is right. */
export interface Sample {
  readonly name: string;
  readonly accepted: boolean;
  readonly rule: string;
  readonly value: unknown;
}

/** The boundaries of one value, of the field or of its items where it is a list or a map, and what is of another type. */
export function samples(field: Field, table: FieldTable, fragments: Fragments): readonly Sample[] {
  return [...bounded(field, table, fragments), ...otherTypes(typeParts(field.type).item, table)];
}

function bounded(field: Field, table: FieldTable, fragments: Fragments): readonly Sample[] {
  const { wrap, item } = typeParts(field.type);
  const type = table.find(item, '.');
  const names = [`${field.kind}.${field.path}`, item];
  const forms = formSamples(firstOf(fragments.forms, names));
  const values = field.enum ?? type?.enum;
  if (values !== undefined) return [...valueSamples(values, field.open === true || type?.open === true), ...forms];
  const around = edgesOf(wrap === undefined ? field : undefined, type);
  const base = type?.type ?? item;
  if (base === 'integer') return around.map(({ at, ...edge }) => ({ ...edge, value: at }));
  return base.startsWith('string') ? [...textSamples(around, firstOf(fragments.lengths, names)), ...forms] : forms;
}

/**
 * What no reading makes a value of the type: no digits that stand for a number, no single value where a list could be meant. Nothing for
 * a type that the document does not show.
 */
export function otherTypes(type: string, table: FieldTable): readonly Sample[] {
  const base = table.find(type, '.')?.type ?? type;
  if (base === 'integer') return [wrong('many'), wrong(1.5, 'fraction')];
  if (base === 'boolean') return [wrong('perhaps')];
  if (base.startsWith('string')) return [wrong({ k0: 'a' })];
  if (typeParts(base).wrap === 'list') return [wrong({ k0: 'a' })];
  if (typeParts(base).wrap === 'map') return [wrong(['a'])];
  return table.isBlock(base) || base.startsWith('object') ? [wrong('text')] : [];
}

function wrong(value: unknown, name = 'other-type'): Sample {
  return { name, accepted: false, rule: 'type', value };
}

/** What the fragments say of a field, otherwise of its type. */
function firstOf<Value>(table: Readonly<Record<string, Value>>, names: readonly string[]): Value | undefined {
  return names.map((name) => table[name]).find((value) => value !== undefined);
}

// The bounds of a field are those of its type where it has none of its own.
function edgesOf(own: Field | undefined, type: Field | undefined): readonly Edge[] {
  return edges(own?.min ?? type?.min, own?.max ?? type?.max);
}

function textSamples(around: readonly Edge[], form: Form | undefined): readonly Sample[] {
  return around.flatMap(({ at, ...edge }) => {
    const isAsked = form?.never.some((name) => name === edge.name) !== true;
    const value = at < 0 || !isAsked ? undefined : text(at, form);
    return value === undefined ? [] : [{ ...edge, value }];
  });
}

type Form = Fragments['lengths'][string];

/** A number at or just beyond a bound. */
export interface Edge {
  readonly name: string;
  readonly accepted: boolean;
  readonly rule: 'min' | 'max';
  readonly at: number;
}

/** One below, at, at, one above: as far as there are bounds. */
export function edges(min: number | undefined, max: number | undefined): readonly Edge[] {
  const low: readonly Edge[] =
    min === undefined
      ? []
      : [
          { name: 'min-minus-one', accepted: false, rule: 'min', at: min - 1 },
          { name: 'min', accepted: true, rule: 'min', at: min },
        ];
  const high: readonly Edge[] =
    max === undefined
      ? []
      : [
          { name: 'max', accepted: true, rule: 'max', at: max },
          { name: 'max-plus-one', accepted: false, rule: 'max', at: max + 1 },
        ];
  return [...low, ...high];
}

function valueSamples(values: readonly string[], open: boolean): readonly Sample[] {
  const each = values.map((value) => ({ name: `value-${kebab(value)}`, accepted: true, rule: 'enum', value }));
  if (open) return each;
  const near = values.map(otherCase).find((value) => !values.includes(value));
  return [
    ...each,
    { name: 'other-value', accepted: false, rule: 'enum', value: 'NotOneOfThem' },
    ...(near === undefined ? [] : [{ name: 'other-case', accepted: false, rule: 'enum', value: near }]),
    { name: 'empty', accepted: false, rule: 'enum', value: '' },
  ];
}

/** The same letters, small where they were not and great where they were all small. */
function otherCase(word: string): string {
  return word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase();
}

function formSamples(forms: Fragments['forms'][string] | undefined): readonly Sample[] {
  return [...formsOf(forms?.good ?? {}, true), ...formsOf(forms?.bad ?? {}, false)];
}

function formsOf(named: Readonly<Record<string, unknown>>, accepted: boolean): readonly Sample[] {
  return Object.entries(named).map(([name, value]) => ({ name, accepted, rule: 'pattern', value }));
}

/** A text of exactly this many characters; undefined where the form does not allow it. */
function text(length: number, form: Form | undefined): string | undefined {
  const { prefix, fill, suffix } = form ?? { prefix: '', fill: 'a', suffix: '' };
  if (length === 0) return '';
  const room = length - prefix.length - suffix.length;
  if (room < 1) return undefined;
  const body = fill.repeat(Math.ceil(room / fill.length)).slice(0, room);
  // A name may not end with the dot or dash that the repeated part may be cut at.
  return `${prefix}${body.slice(0, -1)}${/[.-]$/.test(body) ? 'a' : body.slice(-1)}${suffix}`;
}
