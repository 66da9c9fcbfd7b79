import { hash } from 'node:crypto';

/** One key as an operator wrote it down. */
export interface KeyEntry {
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly hash: string;
  /** What other policies may know about whoever shows the key. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Reads the value of one entry of a credential source: the key itself, or a JSON object with `key` or `keyHash`
 * (APIKEY-008, APIKEY-009, APIKEY-010). White space around it, such as the newline at the end of a file, is no part
 * of it. Returns undefined for what names no key. Never throws.
 */
export function parseKeyEntry(value: string): KeyEntry | undefined {
  const text = value.trim();
  const fields = jsonObject(text);
  if (fields !== undefined) return fromFields(fields);
  return text === '' ? undefined : { hash: keyHash(text), metadata: {} };
}

/** The same for sources that are no secrets: only a `keyHash` counts there (APIKEY-015). */
export function parseHashedEntry(value: string): KeyEntry | undefined {
  const fields = jsonObject(value.trim());
  return fields === undefined || fields['key'] !== undefined ? undefined : fromFields(fields);
}

/** SHA-256 of a key, as entries hold it. */
export function keyHash(key: string): string {
  return hash('sha256', key, 'hex');
}

type Fields = Readonly<Record<string, unknown>>;

/** Exactly one of `key` and `keyHash`. */
function fromFields({ key, keyHash: written, metadata }: Fields): KeyEntry | undefined {
  const about = isObject(metadata) ? metadata : {};
  if (typeof key === 'string' && key !== '' && written === undefined) return { hash: keyHash(key), metadata: about };
  if (typeof written !== 'string' || key !== undefined) return undefined;
  const [, digits] = SHA_256.exec(written) ?? [];
  return digits === undefined ? undefined : { hash: digits.toLowerCase(), metadata: about };
}

const SHA_256 = /^sha256:([0-9a-fA-F]{64})$/;

function jsonObject(text: string): Fields | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Not JSON: a key that happens to begin with a brace.
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
