import { z } from 'zod';
import { parseByteSize } from '../base/byte-size.ts';
import { DURATION_PATTERN, parseDuration } from '../base/duration.ts';

const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const HTTP_TOKEN = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
const UINT32_MAX = 4_294_967_295;

export const shortString = z.string().min(1).max(256);
export const tinyString = z.string().min(1).max(64);
export const longString = z.string().min(1).max(1024);

/** Marked, so that admission can find every expression of a resource without knowing its shape. */
export const celExpression = z.string().min(1).max(16_384).meta({ title: 'CELExpression' });

export const duration = durationFrom(0);

/** A duration of at least `milliseconds`. */
export function durationFrom(milliseconds: number): z.ZodString {
  return z
    .string()
    .max(32)
    .regex(DURATION_PATTERN, 'must be a duration: up to four numbers with unit h, m, s or ms, such as 3s or 1h30m')
    .refine((text) => (parseDuration(text) ?? milliseconds) >= milliseconds, `must be at least ${milliseconds}ms`);
}

export const byteSize = z
  .union([z.string().min(1).max(32), z.number().int()])
  .refine(
    (value) => inByteRange(parseByteSize(value)),
    'must be a byte size from 1 to 4294967295, such as 65536, 16Ki or 2M',
  );

export const headerName = z
  .string()
  .min(1)
  .max(256)
  .refine(
    (name) => HTTP_TOKEN.test(name.startsWith(':') ? name.slice(1) : name),
    'must be a header name of token characters',
  );

export const httpHeaderName = z
  .string()
  .min(1)
  .max(256)
  .regex(HTTP_TOKEN, 'must be a header name of token characters, not a pseudo-header');

export const sectionName = z.string().min(1).max(253).regex(DNS_NAME, 'must be a lowercase DNS-style name');

/** Names of objects, and DNS names in lower case. */
export const objectName = z.string().min(1).max(253).regex(DNS_NAME, 'must be a lowercase DNS-style name');

/** Empty means the core group. */
export const group = z.string().max(253);
export const kindName = z.string().min(1).max(63);
export const namespaceName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be a lowercase DNS label');

export const portNumber = z.number().int().min(1).max(65_535);

/** An exact host name, or one whose first label is `*`. */
export const hostname = z
  .string()
  .min(1)
  .max(253)
  .refine(
    (name) => DNS_NAME.test(name.startsWith('*.') ? name.slice(2) : name),
    'must be a host name in lower case; only its first label may be *',
  );

export const stringMap = z.record(z.string(), z.string());
export const json = z.json();
export const jsonObject = z.record(z.string(), z.json());

export type CELExpression = z.infer<typeof celExpression>;
export type Duration = z.infer<typeof duration>;
export type ByteSize = z.infer<typeof byteSize>;

/** An array that must hold `min` to `max` items. */
export function listOf<Item extends z.ZodType>(item: Item, min: number, max: number): z.ZodArray<Item> {
  return z.array(item).min(min).max(max);
}

/** A map of at most `max` entries, at least `min`. */
export function mapOf<Value extends z.ZodType>(
  value: Value,
  min: number,
  max: number,
): z.ZodRecord<z.ZodString, Value> {
  return z
    .record(z.string(), value)
    .refine(
      (map) => Object.keys(map).length >= min && Object.keys(map).length <= max,
      `must have ${min} to ${max} entries`,
    );
}

function inByteRange(bytes: number | undefined): boolean {
  return bytes !== undefined && bytes >= 1 && bytes <= UINT32_MAX;
}
