import type { Pod } from '../../resources/core/pod.ts';
import type { InferencePool } from '../../resources/inference/inference-pool.ts';
import { selects } from '../namespaces.ts';

/** An address of a pool that may receive traffic. */
export interface PoolMember {
  readonly kind: 'tcp';
  readonly host: string;
  readonly port: number;
}

/**
 * Every port of every Pod that the pool selects and that is ready; `pods` are those of the namespace of the pool.
 * docs/decisions/inference-pools.md
 */
export function poolMembers({ spec }: InferencePool, pods: readonly Pod[]): readonly PoolMember[] {
  const { matchLabels } = spec.selector;
  // As with a Service, whoever selects by nothing has no Pods: prompts are not for everything that runs in a namespace.
  if (Object.keys(matchLabels).length === 0) return [];
  return pods
    .filter(({ metadata }) => selects({ matchLabels }, metadata.labels ?? {}))
    .filter(isReady)
    .flatMap((pod) => {
      const host = addressOf(pod);
      if (host === undefined) return [];
      return spec.targetPorts.map(({ number: port }): PoolMember => ({ kind: 'tcp', host, port }));
    });
}

/** A Pod that is about to end takes no new requests, whatever its conditions still say. */
function isReady({ metadata, status }: Pod): boolean {
  const ending = (metadata.deletionTimestamp ?? null) !== null;
  return !ending && (status?.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');
}

/** Members are one endpoint each, whatever families their addresses are of. */
function addressOf({ status }: Pod): string | undefined {
  return [status?.podIP, status?.podIPs?.[0]?.ip].find((address) => address !== undefined && address !== '');
}
