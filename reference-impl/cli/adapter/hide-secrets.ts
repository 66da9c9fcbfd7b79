import { isJsonObject } from '../../base/json.ts';
import type { Manifest } from '../../deployer/manifest.ts';

/** The manifests with the values of Secrets left out; which keys there are stays visible. */
export function hideSecrets(manifests: readonly Manifest[]): readonly Manifest[] {
  return manifests.map((manifest) => {
    const data = manifest['data'];
    if (manifest.kind !== 'Secret' || !isJsonObject(data)) return manifest;
    return { ...manifest, data: Object.fromEntries(Object.keys(data).map((key) => [key, '<redacted>'])) };
  });
}
