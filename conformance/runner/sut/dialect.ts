import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { UsageFault } from './session.ts';

const names = z.record(z.string(), z.string());
const dialectSchema = z.strictObject({
  /** API group that takes the place of `proxy.example`. */
  group: z.string().optional(),
  /** API version that takes the place of `v1alpha1`. */
  version: z.string().optional(),
  kinds: names.default({}),
  /** Path of an object (`ProxyBackend.spec.ai.provider`, `*.auth`) to the renaming of its members. */
  members: z.record(z.string(), names).default({}),
  /** Whole text values, wherever they stand. */
  values: names.default({}),
});

type DialectData = z.infer<typeof dialectSchema>;

/** Renaming of resources and answers, both ways. */
export interface Dialect {
  readonly toImplementation: (resource: unknown) => unknown;
  /** `root` is the kind whose member paths apply; an answer of an operation may stand for the inside of a resource. */
  readonly toCanonical: (value: unknown, root?: string) => unknown;
}

export const canonical: Dialect = { toImplementation: (value) => value, toCanonical: (value) => value };

const GROUP = 'proxy.example';
const VERSION = 'v1alpha1';

/** Reads the dialect a manifest names: `canonical`, or a file relative to the manifest. Throws UsageFault. */
export function loadDialect(name: string, folder: string): Dialect {
  if (name === 'canonical') return canonical;
  const file = path.resolve(folder, name);
  try {
    return createDialect(parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new UsageFault(`${file}: ${error instanceof z.ZodError ? z.prettifyError(error) : String(error)}`);
  }
}

/** A dialect from its data. Throws ZodError, and UsageFault for a renaming that could not be undone. */
export function createDialect(data: unknown): Dialect {
  const dialect = dialectSchema.parse(data);
  const there = renaming(dialect, (table) => table);
  const back = renaming(dialect, invert);
  return {
    toImplementation: (resource) => there.rename(resource, kindOf(resource)),
    toCanonical: (value, root) => {
      const kind = kindOf(value);
      const original = kind === undefined ? root : (back.kinds.get(kind) ?? kind);
      return back.rename(value, original);
    },
  };
}

interface Renaming {
  readonly kinds: ReadonlyMap<string, string>;
  readonly rename: (value: unknown, where: string | undefined) => unknown;
}

type Names = Readonly<Record<string, string>>;

function renaming(dialect: DialectData, direction: (table: Names) => Names): Renaming {
  const kinds = new Map(Object.entries(direction(dialect.kinds)));
  const values = new Map(Object.entries(direction(dialect.values)));
  const group = direction({ [GROUP]: dialect.group ?? GROUP });
  const version = direction({ [`${GROUP}/${VERSION}`]: `${dialect.group ?? GROUP}/${dialect.version ?? VERSION}` });
  const members = Object.entries(dialect.members).map(([pattern, table]) => ({
    fits: pathMatcher(pattern),
    there: table,
    table: direction(table),
  }));

  const text = (value: string, key: string): string => {
    if (key === 'kind') return kinds.get(value) ?? value;
    if (key === 'group') return group[value] ?? value;
    if (key === 'apiVersion') return version[value] ?? value;
    return values.get(value) ?? value;
  };
  // `where` is always the canonical path, so that a rule for a member beneath a renamed member fits in both directions.
  const rename = (value: unknown, where: string | undefined, key = ''): unknown => {
    if (typeof value === 'string') return text(value, key);
    if (Array.isArray(value)) return value.map((item: unknown) => rename(item, where, key));
    if (typeof value !== 'object' || value === null) return value;
    const rule = members.find((member) => where !== undefined && member.fits(where));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const renamed = rule?.table[name] ?? name;
        const canonicalName =
          rule !== undefined && name in rule.there ? name : rule?.table === rule?.there ? name : renamed;
        return [renamed, rename(item, `${where ?? ''}.${canonicalName}`, canonicalName)];
      }),
    );
  };
  return { kinds, rename };
}

function pathMatcher(pattern: string): (where: string) => boolean {
  if (!pattern.startsWith('*.')) return (where) => where === pattern;
  const suffix = pattern.slice(1);
  return (where) => where.endsWith(suffix);
}

function invert(table: Names): Names {
  const inverted = Object.fromEntries(Object.entries(table).map(([from, to]) => [to, from]));
  if (Object.keys(inverted).length !== Object.keys(table).length) {
    throw new UsageFault(`a dialect gives one name to two things: ${JSON.stringify(table)}`);
  }
  return inverted;
}

function kindOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'
    ? value.kind
    : undefined;
}
