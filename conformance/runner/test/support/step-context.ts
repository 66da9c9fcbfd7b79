import { startPeers } from '../../peers/peers.ts';
import { createBackground } from '../../steps/background.ts';
import type { StepContext } from '../../steps/step.ts';
import { createTimeline } from '../../steps/timeline.ts';
import { parseManifest } from '../../sut/manifest.ts';
import type { Endpoint } from '../../sut/session.ts';
import { startFakeSession } from './fake-session.ts';

const manifest = parseManifest(
  'contract: 1\nimplementation: {name: x}\nrun: {kind: process, command: [x]}\n',
  'implementation.yaml',
);

/** A context whose data and admin endpoints are given servers of the test. */
export async function stepContext(
  endpoints: { readonly data: Endpoint; readonly admin?: Endpoint },
  more: Partial<StepContext> = {},
): Promise<StepContext> {
  const fake = await startFakeSession(() => 'token');
  await fake.close();
  return {
    caseId: 'a.case',
    stepId: 'step',
    namespace: 'c-1',
    host: 'c-1.test',
    session: { ...fake.session, endpoints },
    manifest,
    listenerPort: () => undefined,
    peers: await startPeers({}),
    background: createBackground(),
    timeline: createTimeline(),
    limitMs: 1000,
    limit: AbortSignal.timeout(more.limitMs ?? 1000),
    signal: new AbortController().signal,
    on: [],
    expect: {},
    resources: () => [],
    render: () => [],
    configure: async () => ({ outcome: 'accepted', violations: [] }),
    nested: async () => ({}),
    ...more,
  };
}
