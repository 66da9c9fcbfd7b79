import { celList, celMap, isCelList, isCelMap, isCelType, isCelUint } from '@bufbuild/cel';
import type { CelInput, CelUint, CelValue } from '@bufbuild/cel';
import { create, isMessage, toJson } from '@bufbuild/protobuf';
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { isNetworkValue, networkText } from './functions/network.ts';

/** A CEL duration or timestamp outside the engine; JSON shows it as CEL prints it. */
export interface TimeValue {
  readonly [TIME]: 'duration' | 'timestamp';
  /** Length, or time since 1970. */
  readonly milliseconds: number;
  readonly toJSON: () => string;
}

const TIME = Symbol('time');

export function isTimeValue(value: unknown): value is TimeValue {
  return typeof value === 'object' && value !== null && TIME in value;
}

/** Whether it is a moment and not a length. */
export function isTimestamp(value: TimeValue): boolean {
  return value[TIME] === 'timestamp';
}

/** `length` in milliseconds. */
export function duration(length: number): TimeValue {
  return { [TIME]: 'duration', milliseconds: length, toJSON: () => `${length / 1000}s` };
}

/** `since1970` in milliseconds; `text` as CEL prints the moment, to the nanosecond. */
function timestamp(since1970: number, text: string): TimeValue {
  return { [TIME]: 'timestamp', milliseconds: since1970, toJSON: () => text };
}

/**
 * JSON-like data as the engine takes it. Whole numbers become int, others double; objects are read member by member
 * when the expression asks, so getters stay lazy. Throws an Error for functions, symbols and the like.
 */
export function toCel(value: unknown): CelInput {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === undefined) return null;
  if (typeof value === 'object') return objectToCel(value);
  throw new Error(`a ${typeof value} is not a value`);
}

/** A request or response: its member `headers` has lower-case names and is looked up without regard to case. */
export function messageToCel(record: object): CelInput {
  return celMap(new MessageView(record));
}

function objectToCel(value: object | null): CelInput {
  if (value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return celList(value.map((element: unknown) => toCel(element)));
  if (isTimeValue(value)) return timeToCel(value);
  if (value instanceof Map) return celMap(new RecordView(Object.fromEntries<unknown>(value)));
  return celMap(new RecordView(value));
}

function timeToCel(value: TimeValue): CelInput {
  const seconds = Math.floor(value.milliseconds / 1000);
  const nanos = Math.round((value.milliseconds - seconds * 1000) * 1e6);
  if (value[TIME] === 'timestamp') return create(TimestampSchema, { seconds: BigInt(seconds), nanos });
  // A protobuf duration has seconds and nanoseconds of one sign.
  return seconds < 0 && nanos > 0
    ? create(DurationSchema, { seconds: BigInt(seconds + 1), nanos: nanos - 1e9 })
    : create(DurationSchema, { seconds: BigInt(seconds), nanos });
}

type Key = string | bigint | boolean | CelUint;

/** An object as a map of the engine. Members that are undefined do not exist. */
class RecordView implements ReadonlyMap<Key, CelInput> {
  readonly #record: object;

  constructor(record: object) {
    this.#record = record;
  }

  get(key: Key): CelInput | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#record, key)) return undefined;
    const value: unknown = Reflect.get(this.#record, key);
    return value === undefined ? undefined : this.convert(key, value);
  }

  protected convert(_name: string, value: unknown): CelInput {
    return toCel(value);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  get size(): number {
    return this.#names().length;
  }

  forEach(task: (value: CelInput, key: Key, map: ReadonlyMap<Key, CelInput>) => void): void {
    for (const [key, value] of this.entries()) task(value, key, this);
  }

  *entries(): MapIterator<[Key, CelInput]> {
    for (const name of this.#names()) yield [name, this.get(name) ?? null];
  }

  keys(): MapIterator<Key> {
    return this.#names().values();
  }

  *values(): MapIterator<CelInput> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[Key, CelInput]> {
    return this.entries();
  }

  #names(): string[] {
    return Object.keys(this.#record).filter((name) => Reflect.get(this.#record, name) !== undefined);
  }
}

class HeaderView extends RecordView {
  override get(key: Key): CelInput | undefined {
    return super.get(typeof key === 'string' ? key.toLowerCase() : key);
  }
}

class MessageView extends RecordView {
  protected override convert(name: string, value: unknown): CelInput {
    const isHeaders = name === 'headers' && typeof value === 'object' && value !== null;
    return isHeaders ? celMap(new HeaderView(value)) : super.convert(name, value);
  }
}

/**
 * A value of the engine as plain data: int and uint become numbers (bigint beyond 2^53), maps become objects, durations
 * and timestamps TimeValues, addresses and types their text.
 */
export function fromCel(value: CelValue): unknown {
  if (typeof value === 'bigint') return plainInteger(value);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (isCelUint(value)) return plainInteger(value.value);
  if (isCelList(value)) return Array.from(value, fromCel);
  if (isCelMap(value)) {
    return Object.fromEntries(Array.from(value, ([key, member]) => [keyText(key), fromCel(member)]));
  }
  if (isCelType(value)) return value.name;
  const { message } = value;
  if (isMessage(message, DurationSchema)) return duration(milliseconds(message));
  if (isMessage(message, TimestampSchema)) return timestamp(milliseconds(message), toJson(TimestampSchema, message));
  if (isNetworkValue(value)) return networkText(value);
  throw new Error(`${message.$typeName} has no plain form`);
}

function plainInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The key of a map as the name of a member. */
export function keyText(key: Key): string {
  return isCelUint(key) ? key.value.toString() : String(key);
}

function milliseconds(time: { readonly seconds: bigint; readonly nanos: number }): number {
  return Number(time.seconds) * 1000 + time.nanos / 1e6;
}
