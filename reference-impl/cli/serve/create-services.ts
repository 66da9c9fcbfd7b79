import type { View } from '../../attachment/view.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createPasswordQueue } from '../../credentials/passwords/password-queue.ts';
import type { Services } from '../../credentials/services.ts';
import { createTokenCache } from '../../credentials/token-cache.ts';
import { isKindName } from '../../resources/kinds.ts';
import type { Store } from '../../store/store.ts';
import { connectCounter } from '../../telemetry/metrics/count-connect.ts';
import { createMetrics } from '../../telemetry/metrics/metrics.ts';
import { createGrpcClients } from '../../upstream/grpc-clients.ts';
import { createHealthRegister } from '../../upstream/health/register.ts';
import { createHttpClient } from '../../upstream/http-client.ts';
import { version } from '../version.ts';
import { createOutputs, type Outputs, type Wanted } from './outputs.ts';

/** What all requests of the program share, and what it tells about them. */
export interface Shared extends Pick<Outputs, 'stats' | 'flush'> {
  readonly services: Services;
}

interface Means {
  readonly store: Store;
  readonly view: () => View;
  readonly clock: Clock;
  readonly log: Log;
}

/** Puts the services together. What is learnt about a resource is forgotten when the store has it no more. */
export function createServices(wanted: Wanted, { store, view, clock, log }: Means): Shared {
  const health = createHealthRegister();
  const tokens = createTokenCache(clock);
  store.subscribe(({ get }) => {
    const exists = (kind: string, namespace: string, name: string): boolean =>
      isKindName(kind) && get(kind, namespace, name) !== undefined;
    health.retain(exists);
    tokens.retain(exists);
  });
  const metrics = wanted.statsPort === undefined ? undefined : createMetrics(version());
  const connected = metrics && connectCounter(metrics, view);
  const [http, grpc] = [createHttpClient(clock, connected), createGrpcClients(clock, connected)];
  const callers = { http, grpc, connected, random: Math.random };
  const { telemetry, stats, flush } = createOutputs(wanted, { metrics, callers, clock, log });
  return { services: { ...callers, health, tokens, passwords: createPasswordQueue(), log, telemetry }, stats, flush };
}
