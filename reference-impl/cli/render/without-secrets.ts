import type { Manifest } from '../../deployer/manifest.ts';

/**
 * The manifests without Secrets. A Secret with something else for its value would be valid and do harm: whoever applies it gives every
 * Gateway the same key, or takes the place of the key that is there.
 */
export function withoutSecrets(manifests: readonly Manifest[]): readonly Manifest[] {
  return manifests.filter(({ kind }) => kind !== 'Secret');
}
