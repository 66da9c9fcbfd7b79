import { z } from 'zod';
import { BYTE_SIZE_PATTERN, parseByteSize } from '../base/byte-size.ts';
import { parseDuration } from '../base/duration.ts';
import { noted } from './notes.ts';

// Patterns stay within RE2, so that a published schema can carry them: no look-ahead, no back-reference.
const DNS_NAME = /^[a-z0-9]+((-+|\.)[a-z0-9]+)*$/;
const HOSTNAME = /^(\*\.)?[a-z0-9]+((-+|\.)[a-z0-9]+)*$/;
const HTTP_TOKEN = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
const HEADER_OR_PSEUDO = /^:?[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
const DURATION = /^([0-9]{1,5}(h|m|s|ms)){1,4}$/;
const UINT32_MAX = 4_294_967_295;

/** ShortString: 1 to 256 characters (LIMIT-001). */
export const shortString = noted(z.string().min(1).max(256), { clause: 'LIMIT-001' });
/** TinyString: 1 to 64 characters (LIMIT-002). */
export const tinyString = noted(z.string().min(1).max(64), { clause: 'LIMIT-002' });
/** LongString: 1 to 1024 characters (LIMIT-003). */
export const longString = noted(z.string().min(1).max(1024), { clause: 'LIMIT-003' });

/**
 * CELExpression: 1 to 16384 characters (LIMIT-004). The title marks it, so that admission can find every expression of a
 * resource without knowing its shape.
 */
export const celExpression = noted(z.string().min(1).max(16_384).meta({ title: 'CELExpression' }), {
  clause: 'LIMIT-004',
});

/** An expression, or a plain Duration such as `2s`, which is no expression. */
export const celExpressionOrDuration = noted(z.string().min(1).max(16_384).meta({ title: 'CELExpressionOrDuration' }), {
  clause: 'LIMIT-004',
});

/** Duration: up to four numbers with unit h, m, s or ms, 32 characters at most (LIMIT-005). */
export const duration = durationFrom(0);

/** A Duration of at least `milliseconds`. */
export function durationFrom(milliseconds: number): z.ZodString {
  const text = noted(
    z
      .string()
      .max(32)
      .regex(DURATION, 'must be a duration: up to four numbers with unit h, m, s or ms, such as 3s or 1h30m'),
    { clause: 'LIMIT-005' },
  );
  if (milliseconds === 0) return text;
  const message = `must be at least ${milliseconds}ms`;
  return text.refine((value) => (parseDuration(value) ?? milliseconds) >= milliseconds, {
    params: { message, cel: `duration(self) >= duration('${milliseconds}ms')` },
    error: message,
  });
}

/** ByteSize: a whole number, or a quantity of up to 32 characters such as `16Ki`, `2M` or `1e6` (LIMIT-006). */
export const byteSize = noted(
  z
    .union([
      z.string().min(1).max(32).regex(BYTE_SIZE_PATTERN, 'must be a byte size such as 65536, 16Ki or 2M'),
      z.number().int().min(1).max(UINT32_MAX),
    ])
    .refine((value) => inByteRange(parseByteSize(value)), {
      params: { clause: 'LIMIT-006' },
      error: `must be a byte size from 1 to ${UINT32_MAX}, such as 65536, 16Ki or 2M`,
    }),
  { clause: 'LIMIT-006' },
);

/** HeaderName: token characters, or a pseudo-header such as `:path` (LIMIT-008). */
export const headerName = noted(
  z.string().min(1).max(256).regex(HEADER_OR_PSEUDO, 'must be a header name of token characters'),
  { clause: 'LIMIT-008' },
);

/** HTTPHeaderName: token characters; no pseudo-header (LIMIT-007). */
export const httpHeaderName = noted(
  z.string().min(1).max(256).regex(HTTP_TOKEN, 'must be a header name of token characters, not a pseudo-header'),
  { clause: 'LIMIT-007' },
);

/** SectionName: the name of a listener, rule, port or sub-backend (LIMIT-009). */
export const sectionName = noted(z.string().min(1).max(253).regex(DNS_NAME, 'must be a lowercase DNS-style name'), {
  clause: 'LIMIT-009',
});

/** Names of objects, and DNS names in lower case. */
export const objectName = z.string().min(1).max(253).regex(DNS_NAME, 'must be a lowercase DNS-style name');

/** Group: empty means the core group (LIMIT-025). */
export const group = noted(z.string().max(253), { clause: 'LIMIT-025' });
/** Kind: 1 to 63 characters (LIMIT-025). */
export const kindName = noted(z.string().min(1).max(63), { clause: 'LIMIT-025' });
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
  .regex(HOSTNAME, 'must be a host name in lower case; only its first label may be *');

export const stringMap = z.record(z.string(), z.string());
/** JSON: any value. */
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
  const bounds = { ...(min > 0 && { minProperties: min }), ...(Number.isFinite(max) && { maxProperties: max }) };
  return z.record(z.string(), value).refine((map) => Object.keys(map).length >= min && Object.keys(map).length <= max, {
    params: { bounds },
    error: Number.isFinite(max) ? `must have ${min} to ${max} entries` : `must have at least ${min} entries`,
  });
}

function inByteRange(bytes: number | undefined): boolean {
  return bytes !== undefined && bytes >= 1 && bytes <= UINT32_MAX;
}
