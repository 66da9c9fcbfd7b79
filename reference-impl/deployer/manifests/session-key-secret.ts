import type { Secret } from '../../resources/core/secret.ts';
import type { Gateway } from '../../resources/gateway-api/gateway.ts';
import type { Manifest } from '../manifest.ts';
import { objectMeta, type Owner, safeName } from './object-meta.ts';

export const SESSION_KEY_ENTRY = 'key';
const KEY_BYTES = 32;

/** PARAM-023: every Gateway has a key of its own. */
export function sessionKeyName(gateway: Gateway): string {
  return `${safeName(gateway.metadata.name)}-session-key`;
}

export function sessionKeySecret(owner: Owner, key: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: objectMeta(owner, '-session-key'),
    type: 'Opaque',
    data: { [SESSION_KEY_ENTRY]: Buffer.from(key, 'utf8').toString('base64') },
  };
}

/** The key of the Secret that is there, so that sessions outlive a change; 64 hexadecimal digits otherwise. */
export function sessionKey(existing: Secret | undefined, randomBytes: (count: number) => Uint8Array): string {
  const written = existing?.stringData?.[SESSION_KEY_ENTRY];
  const encoded = existing?.data?.[SESSION_KEY_ENTRY];
  const kept = written ?? (encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8'));
  return kept === '' ? Buffer.from(randomBytes(KEY_BYTES)).toString('hex') : kept;
}
