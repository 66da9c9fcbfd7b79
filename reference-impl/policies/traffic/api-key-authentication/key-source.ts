import type { View } from '../../../attachment/view.ts';
import { perObject } from '../../../base/per-object.ts';
import type { ConfigMap } from '../../../resources/core/config-map.ts';
import type { Secret } from '../../../resources/core/secret.ts';
import type { APIKeyAuthentication } from '../../../resources/proxy-policy/fields/api-key-authentication.ts';
import { secretTexts } from '../../../credentials/secret-text.ts';
import { type KeyEntry, keyHash, parseHashedEntry, parseKeyEntry } from './key-entry.ts';

/** Finds the entry of a key that a client shows. */
export type FindKey = (key: string) => KnownKey | undefined;

export interface KnownKey extends KeyEntry {
  /** Which entry of which object it is: whoever shows the key. Nothing follows from it about the key, which may change. */
  readonly client: string;
}

/** Where the keys of a policy stand: one Secret, Secrets by labels, or ConfigMaps by labels of its namespace. */
export type KeySource = (view: View) => FindKey;

export function keySource(
  { secretRef, secretSelector, configMapSelector }: APIKeyAuthentication,
  namespace: string,
): KeySource {
  if (secretSelector !== undefined) {
    // APIKEY-013
    return ({ references }) => inSecrets(references.secretsByLabels(secretSelector.matchLabels, namespace));
  }
  if (configMapSelector !== undefined) {
    // APIKEY-014
    return ({ references }) => inConfigMaps(references.configMapsByLabels(configMapSelector.matchLabels, namespace));
  }
  return ({ references }) => {
    const secret = secretRef && references.secret(secretRef, namespace);
    return secret === undefined ? none : inSecret(secret);
  };
}

type Keys = ReadonlyMap<string, KnownKey>;

const none: FindKey = () => undefined;

// Each object is read once, and each list of objects put together once, while it does not change.
const keysOfSecret = perObject((secret: Secret) => tableOf(secret, secretTexts(secret), parseKeyEntry));
const keysOfConfigMap = perObject((map: ConfigMap) => tableOf(map, Object.entries(map.data ?? {}), parseHashedEntry));
const inSecret = perObject((secret: Secret) => findIn(keysOfSecret(secret)));
const inSecrets = perObject((secrets: readonly Secret[]) => findIn(joinTables(secrets.map(keysOfSecret))));
const inConfigMaps = perObject((maps: readonly ConfigMap[]) => findIn(joinTables(maps.map(keysOfConfigMap))));

/** APIKEY-007: the name of an entry tells entries apart and means nothing else. An entry that names no key is passed over. */
function tableOf(
  { kind, metadata }: Secret | ConfigMap,
  entries: readonly (readonly [name: string, value: string])[],
  parse: (value: string) => KeyEntry | undefined,
): Keys {
  const keys = entries.flatMap(([name, value]): KnownKey[] => {
    const entry = parse(value);
    const client = JSON.stringify([kind, metadata.namespace, metadata.name, name]);
    return entry === undefined ? [] : [{ ...entry, client }];
  });
  return new Map(keys.map((entry) => [entry.hash, entry]));
}

function joinTables(tables: readonly Keys[]): Keys {
  return new Map(tables.flatMap((table) => [...table]));
}

/**
 * APIKEY-011: what is compared is the hash of what was shown. How long that takes depends on hashes only, from which
 * no key follows.
 */
function findIn(keys: Keys): FindKey {
  return (key) => keys.get(keyHash(key));
}
