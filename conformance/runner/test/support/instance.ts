import { Configuration } from '../../sut/configuration.ts';
import type { Instance } from '../../sut/instance.ts';
import { parseManifest } from '../../sut/manifest.ts';
import type { Session } from '../../sut/session.ts';

const manifest = parseManifest(
  'contract: 1\nimplementation: { name: x }\nrun: { kind: process, command: [x] }',
  'x.yaml',
);

/** An instance without a canary, that never crashes. */
export function instanceOf(session: Session): Instance {
  return {
    role: 'shared',
    manifest,
    session,
    configuration: new Configuration({ session, withinMs: 100 }),
    recover: async () => true,
    crashes: () => 0,
    stop: async () => undefined,
  };
}
