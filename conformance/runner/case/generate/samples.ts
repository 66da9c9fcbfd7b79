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

/** The boundaries of one value: of the field, or of its items where it is a list or a map. */
export function samples(field: Field, table: FieldTable, fragments: Fragments): readonly Sample[] {
  const { wrap, item } = typeParts(field.type);
  const type = table.find(item, '.');
  const key = `${field.kind}.${field.path}`;
  const own = wrap === undefined ? field : undefined;
  const values = field.enum ?? type?.enum;
  const forms = formSamples(fragments.forms[key] ?? fragments.forms[item]);
  if (values !== undefined) return [...valueSamples(values, field.open === true || type?.open === true), ...forms];
  const bounds = { min: own?.min ?? type?.min, max: own?.max ?? type?.max };
  const base = type?.type ?? item;
  if (base === 'integer') {
    return edges(bounds.min, bounds.max).map(({ at, ...edge }) => ({ ...edge, value: at }));
  }
  if (!base.startsWith('string')) return forms;
  const length = fragments.lengths[key] ?? fragments.lengths[item];
  const texts = edges(bounds.min, bounds.max).flatMap(({ at, ...edge }) => {
    const said = length?.never.some((name) => name === edge.name) !== true;
    const value = at < 0 || !said ? undefined : text(at, length);
    return value === undefined ? [] : [{ ...edge, value }];
  });
  return [...texts, ...forms];
}

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
function text(length: number, form: Fragments['lengths'][string] | undefined): string | undefined {
  const { prefix, fill, suffix } = form ?? { prefix: '', fill: 'a', suffix: '' };
  if (length === 0) return '';
  const room = length - prefix.length - suffix.length;
  if (room < 1) return undefined;
  const body = fill.repeat(Math.ceil(room / fill.length)).slice(0, room);
  // A name may not end with the dot or dash that the repeated part may be cut at.
  return `${prefix}${body.slice(0, -1)}${/[.-]$/.test(body) ? 'a' : body.slice(-1)}${suffix}`;
}
