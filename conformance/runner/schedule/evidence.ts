import type { Exchange } from '../steps/exchange-record.ts';
import type { Timeline } from '../steps/timeline.ts';
import type { Background } from '../steps/background.ts';
import type { Resource } from '../sut/session.ts';
import { yamlText } from '../values/yaml-text.ts';
import type { PreparedCase } from './prepare-case.ts';

/** What it takes to repair an implementation without running the case again. */
export interface CaseEvidence {
  /** Questions of the steps and their answers, in order, with heads and bodies. */
  readonly exchanges: readonly Exchange[];
  /** What arrived at each peer, complete. */
  readonly peers: Readonly<Record<string, readonly unknown[]>>;
  /** What each trace stream of the case said. */
  readonly traces: Readonly<Record<string, unknown>>;
  /** The configuration as YAML, exactly as delivered; one text for each that was live, the last one last. */
  readonly configurations: readonly string[];
}

/** What is left of a case that has ended. */
export interface Remains {
  readonly timeline: Timeline;
  readonly background: Background;
  /** Resources at the beginning and after each accepted change. */
  readonly resources: readonly (readonly Resource[])[];
}

/** Gathers the evidence; only for a case that did not go well, because it is a lot. */
export function gatherEvidence(prepared: PreparedCase, { timeline, background, resources }: Remains): CaseEvidence {
  const { peers, instance } = prepared;
  return {
    exchanges: timeline.exchanges(),
    peers: Object.fromEntries(peers.names.map((name) => [name, peers.received(name)])),
    traces: Object.fromEntries([...background.traces].map(([name, watch]) => [name, watch.observation()])),
    configurations: resources.map((all) => asYaml(all.map((one) => instance.session.asDelivered(one)))),
  };
}

function asYaml(resources: readonly unknown[]): string {
  return resources.map((resource) => `---\n${yamlText(resource, { lineWidth: 0 })}`).join('');
}
