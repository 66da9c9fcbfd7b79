import type { Origin } from '../attachment/policies/effective-policy.ts';
import type { Received } from '../exchange/exchange.ts';
import type { LocalSecretObjectRef } from '../resources/references.ts';
import { refuseToSend } from './refuse-to-send.ts';
import { secretText } from './secret-text.ts';

/**
 * The texts of these keys of a Secret, without space around them. Throws backendAuthenticationFailed when the Secret is not there,
 * or one of the keys has no text: what is named is not replaced by what the platform has.
 */
export function secretMembers<Key extends string>(
  { view }: Pick<Received, 'view'>,
  ref: LocalSecretObjectRef,
  { namespace }: Origin,
  keys: readonly Key[],
): Readonly<Record<Key, string>> {
  const secret = view.references.secret(ref, namespace);
  const textOf = (key: Key): string => {
    const text = (secret && secretText(secret, key)?.trim()) ?? '';
    return text === '' ? refuseToSend(`Secret ${namespace}/${ref.name} has no key ${key}`) : text;
  };
  return recordOf(keys, textOf);
}

function recordOf<Key extends string>(keys: readonly Key[], valueOf: (key: Key) => string): Record<Key, string>;
function recordOf(keys: readonly string[], valueOf: (key: string) => string): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)]));
}
