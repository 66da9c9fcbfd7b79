import { AuthoringError } from './authoring-error.ts';
import type { Path } from './check.ts';
import { isList, isObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { nearest } from './nearest.ts';

/**
 * What `${a.b}` is looked up in. Roots: `case` {id, host, namespace}, `row`, `peers`, `suite` (certificates),
 * `listeners`, `unspecified` (answers of the manifest by open point), and each capture under its own name.
 */
export type Scope = Readonly<Record<string, unknown>>;

export interface InterpolateOptions {
  /** Leave placeholders whose first name is not in the scope, and every `$${`, for a later pass. */
  readonly partial?: boolean;
  /** Drop an object member (or a list item) whose whole value is a placeholder that yields null. */
  readonly dropNull?: boolean;
  /** Where the value stands in the case file, for messages. */
  readonly at?: Path;
}

// `$${` is the escape; a name may hold anything but braces, and dots separate members.
const PLACEHOLDER = /\$(\$\{)|\$\{([^{}]*)\}/g;
const WHOLE = /^\$\{([^{}]*)\}$/;

const OMIT: unique symbol = Symbol('omit');

/**
 * Fills the placeholders of a JSON value. A text that is one placeholder takes the value with its type, elsewhere
 * the value becomes text. `{~if: x, …}` is dropped when x is falsy, `{~fill: n}` becomes n bytes of text, `{~list: n, of}` n
 * items and `{~members: n, of, …}` n times the members of `of`, with `${list.number}` from 1 in each.
 * Throws `AuthoringError` for an unknown variable; it names the known ones.
 */
export function interpolate(value: unknown, scope: Scope, options: InterpolateOptions = {}): unknown {
  const filled = fill(value, scope, options, options.at ?? []);
  return filled === OMIT ? null : filled;
}

/** The first names of all placeholders in a value (`row` of `${row.x}`), each with the place it stands at. */
export function placeholders(value: unknown, at: Path = []): readonly { readonly name: string; readonly at: Path }[] {
  if (typeof value === 'string') {
    return [...value.matchAll(PLACEHOLDER)].flatMap((found) =>
      found[2] === undefined ? [] : [{ name: found[2], at }],
    );
  }
  if (isList(value)) return value.flatMap((item, index) => placeholders(item, [...at, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...placeholders(key, [...at, key]),
    ...placeholders(item, [...at, key]),
  ]);
}

/** The value at a dotted path (`a.b.0`); undefined when there is none. Names that contain dots are found too. */
export function lookup(root: unknown, path: string): unknown {
  if (path === '') return root;
  if (isObject(root) && Object.hasOwn(root, path)) return root[path];
  const [head, rest] = splitAt(path, path.indexOf('.'));
  const member = memberOf(root, head);
  if (rest === undefined) return member;
  return member === undefined || member === null ? undefined : lookup(member, rest);
}

function splitAt(path: string, dot: number): readonly [string, string | undefined] {
  return dot === -1 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}

function memberOf(root: unknown, name: string): unknown {
  if (isList(root)) return /^\d+$/.test(name) ? root[Number(name)] : undefined;
  return isObject(root) && Object.hasOwn(root, name) ? root[name] : undefined;
}

function fill(value: unknown, scope: Scope, options: InterpolateOptions, at: Path): unknown {
  if (!isOpenValue(value)) return value;
  if (typeof value === 'string') return fillText(value, scope, options, at);
  if (isList(value)) return value.flatMap((item, index) => fillItem(item, scope, options, [...at, index]));
  if (isObject(value)) return fillObject(value, scope, options, at);
  return value;
}

/** What stands in a list for one item as written: itself, nothing, or the items of a `~list`. */
function fillItem(item: unknown, scope: Scope, options: InterpolateOptions, at: Path): readonly unknown[] {
  if (isObject(item) && '~list' in item) return fillList(item, scope, options, at);
  const filled = fill(item, scope, options, at);
  return filled === OMIT ? [] : [filled];
}

const open = new WeakMap<object, boolean>();

/**
 * Whether there is anything to fill: most of a case is plain, and the same objects are filled for every row and every round. Of what is plain
 * only the whole is remembered, since nobody asks about its parts.
 */
function isOpenValue(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('${');
  if (typeof value !== 'object' || value === null) return false;
  const known = open.get(value);
  if (known !== undefined) return known;
  const found = holdsOpen(value);
  open.set(value, found);
  return found;
}

function holdsOpen(value: object): boolean {
  if (isList(value)) return value.some(isOpenWithin);
  for (const [key, item] of Object.entries(value))
    if (DIRECTIVES.has(key) || key.includes('${') || isOpenWithin(item)) return true;
  return false;
}

function isOpenWithin(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('${');
  return typeof value === 'object' && value !== null && (open.get(value) ?? holdsOpen(value));
}

const DIRECTIVES: ReadonlySet<string> = new Set(['~if', '~fill', '~list', '~members']);

function fillObject(object: JsonObject, scope: Scope, options: InterpolateOptions, at: Path): unknown {
  if ('~if' in object) return fillConditional(object, scope, options, at);
  if ('~fill' in object) return fillBytes(object, scope, options, at);
  if ('~list' in object) return fillList(object, scope, options, at);
  if ('~members' in object) return fillRepeated(object, scope, options, at);
  const filled: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(object)) {
    const name = fillText(key, scope, options, at);
    const content = fill(item, scope, options, [...at, key]);
    if (name !== null && name !== OMIT && content !== OMIT) setMember(filled, asText(name), content);
  }
  return filled;
}

function fillList(object: JsonObject, scope: Scope, options: InterpolateOptions, at: Path): readonly unknown[] {
  return copies('~list', object, scope, options, at).filter((item) => item !== OMIT);
}

/** The members of every copy, and those written beside them. */
function fillRepeated(object: JsonObject, scope: Scope, options: InterpolateOptions, at: Path): unknown {
  const { '~members': _, of: __, ...beside } = object;
  const filled: Record<string, unknown> = {};
  for (const each of [...copies('~members', object, scope, options, at), fillMembers(beside, scope, options, at)]) {
    if (!isObject(each)) throw new AuthoringError('of of ~members is an object', at);
    for (const [name, value] of Object.entries(each)) setMember(filled, name, value);
  }
  return filled;
}

/** `of` as often as it says, with its number. */
function copies(
  form: '~list' | '~members',
  object: JsonObject,
  scope: Scope,
  options: InterpolateOptions,
  at: Path,
): readonly unknown[] {
  const count = fill(object[form], scope, options, [...at, form]);
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) {
    throw new AuthoringError(`${form} takes a number of copies, not ${JSON.stringify(count)}`, at);
  }
  return Array.from({ length: count }, (_, index) =>
    fill(object['of'], { ...scope, list: { number: index + 1 } }, options, [...at, 'of']),
  );
}

// A member may be called __proto__; plain assignment would lose it.
function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

function fillConditional(object: JsonObject, scope: Scope, options: InterpolateOptions, at: Path): unknown {
  const { '~if': written, ...rest } = object;
  const condition = fill(written, scope, { ...options, dropNull: false }, [...at, '~if']);
  if (isOpen(condition, options)) return { '~if': condition, ...fillMembers(rest, scope, options, at) };
  if (!condition) return OMIT;
  return 'of' in rest && Object.keys(rest).length === 1
    ? fill(rest['of'], scope, options, at)
    : fill(rest, scope, options, at);
}

function fillBytes(object: JsonObject, scope: Scope, options: InterpolateOptions, at: Path): unknown {
  const { '~fill': written, ...rest } = object;
  const count = fill(written, scope, options, [...at, '~fill']);
  // Kept short until the last pass: `conform show` prints the case, not its bytes.
  if (options.partial === true) return { '~fill': count, ...fillMembers(rest, scope, options, at) };
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) {
    throw new AuthoringError(`~fill takes a number of bytes, not ${JSON.stringify(count)}`, at);
  }
  const unit = typeof rest['with'] === 'string' && rest['with'] !== '' ? rest['with'] : 'x';
  return unit.repeat(Math.ceil(count / unit.length)).slice(0, count);
}

/** The members beside one that a later pass fills. */
function fillMembers(rest: JsonObject, scope: Scope, options: InterpolateOptions, at: Path): JsonObject {
  const others = fillObject(rest, scope, options, at);
  return isObject(others) ? others : {};
}

function isOpen(condition: unknown, options: InterpolateOptions): boolean {
  return options.partial === true && typeof condition === 'string' && /(^|[^$])\$\{/.test(condition);
}

function fillText(text: string, scope: Scope, options: InterpolateOptions, at: Path): unknown {
  if (!text.includes('${')) return text;
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) {
    const value = resolve(whole, scope, options, at);
    if (value === undefined) return text;
    return value === null && options.dropNull === true ? OMIT : value;
  }
  return text.replaceAll(PLACEHOLDER, (written: string, escaped: string | undefined, name: string | undefined) => {
    if (escaped !== undefined || name === undefined) return options.partial === true ? written : '${';
    const value = resolve(name, scope, options, at);
    return value === undefined ? written : asText(value);
  });
}

/** The value of a variable; undefined when it is to be filled by a later pass. */
function resolve(name: string, scope: Scope, options: InterpolateOptions, at: Path): unknown {
  const root = name.split('.')[0] ?? '';
  if (options.partial === true && !Object.hasOwn(scope, root)) return undefined;
  const value = name === '' ? undefined : lookup(scope, name);
  if (value !== undefined) return value;
  throw new AuthoringError(unknownVariable(name, scope), at);
}

function unknownVariable(name: string, scope: Scope): string {
  const known = knownNames(name, scope);
  const hint = nearest(name, known);
  const list = known.length === 0 ? 'none is known here' : `known are ${known.join(', ')}`;
  return `unknown variable \${${name}}${hint === undefined ? '' : `, did you mean \${${hint}}?`}; ${list}`;
}

// Names beside the first segment that does not resolve: for ${peers.upp.port} the peers, for ${rwo.x} the roots.
function knownNames(name: string, scope: Scope): readonly string[] {
  const segments = name.split('.');
  for (let depth = segments.length - 1; depth > 0; depth -= 1) {
    const prefix = segments.slice(0, depth).join('.');
    const parent = lookup(scope, prefix);
    if (isObject(parent)) return Object.keys(parent).map((key) => `${prefix}.${key}`);
  }
  return Object.keys(scope);
}

function asText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
