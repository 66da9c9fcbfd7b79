import { isTimeValue } from './values.ts';
import type { Evaluation } from './program.ts';

/** Strictly true; failures and other values are not. */
export function isTrue(evaluation: Evaluation): boolean {
  return evaluation.ok && evaluation.value === true;
}

/** A value as the text of a header: strings as they are, bytes as UTF-8, scalars printed; undefined for null, lists, maps and failures. */
export function asHeaderText(evaluation: Evaluation): string | undefined {
  return evaluation.ok ? scalarText(evaluation.value) : undefined;
}

/** A value as the bytes of a body: strings and bytes as they are, anything else as JSON (DIRECT-003, DIRECT-004, DIRECT-005). Undefined for failures. */
export function asBody(evaluation: Evaluation): Uint8Array | undefined {
  if (!evaluation.ok) return undefined;
  if (evaluation.value instanceof Uint8Array) return evaluation.value;
  return Buffer.from(typeof evaluation.value === 'string' ? evaluation.value : jsonText(evaluation.value));
}

/** Compact JSON as CEL defines the mapping: bytes in base64, integers beyond 2^53 and non-finite numbers as strings. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, jsonMember) ?? 'null';
}

/** A duration in milliseconds: a CEL duration, or a number that counts milliseconds. Undefined for anything else. */
export function asMilliseconds(evaluation: Evaluation): number | undefined {
  if (!evaluation.ok) return undefined;
  const { value } = evaluation;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return isTimeValue(value) ? value.milliseconds : undefined;
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return isTimeValue(value) ? value.toJSON() : undefined;
}

function jsonMember(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
