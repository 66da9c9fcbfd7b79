import type { View } from '../../attachment/view.ts';
import { compiledFrontend } from '../compile-frontend.ts';
import { METRICS } from '../names/metrics.ts';
import { addedLabels } from './count-request.ts';
import type { Metrics } from './metrics.ts';
import { LabelSet, UNKNOWN } from './series.ts';

/** A connection of a client that is over. */
export interface ConnectionCounts {
  readonly port: number;
  readonly received: number;
  readonly sent: number;
}

/**
 * METRIC-002: connections have the added labels too. There is no request their expressions could be about, so only those
 * that need none have a value. Several listeners of a port share a connection: then it has no listener.
 */
export function countConnection(metrics: Metrics, view: View, { port, received, sent }: ConnectionCounts): void {
  const [listener, another] = view.binds.get(port)?.listeners ?? [];
  const frontend = listener && compiledFrontend(listener.frontend);
  const labels = addedLabels(frontend?.labels ?? [], () => undefined);
  const values =
    listener === undefined || another !== undefined
      ? [String(port), UNKNOWN, UNKNOWN]
      : [String(port), `${listener.gateway.namespace}/${listener.gateway.name}`, listener.name];
  const set = new LabelSet(METRICS.connections.labels, values, labels);
  metrics.of.connections.at(set).add(1);
  metrics.of.received.at(set).add(received);
  metrics.of.sent.at(set).add(sent);
}
