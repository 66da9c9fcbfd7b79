import { Buffer } from 'node:buffer';
import type { Secret } from '../resources/core/secret.ts';

/** The text of one key of a Secret; undefined when the Secret has no such key. */
export function secretText({ data = {}, stringData = {} }: Secret, key: string): string | undefined {
  const [text, encoded] = [own(stringData, key), own(data, key)];
  return text ?? (encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8'));
}

/** All keys of a Secret with their texts. */
export function secretTexts(secret: Secret): readonly (readonly [key: string, text: string])[] {
  const keys = new Set([...Object.keys(secret.data ?? {}), ...Object.keys(secret.stringData ?? {})]);
  return [...keys].map((key) => [key, secretText(secret, key) ?? '']);
}

/** What the record itself says, not what every object inherits. */
function own(record: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
