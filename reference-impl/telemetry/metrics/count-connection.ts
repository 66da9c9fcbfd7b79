import type { View } from '../../attachment/view.ts';
import { compiledFrontend } from '../compile-frontend.ts';
import { METRICS } from '../names/metrics.ts';
import { addedLabels } from './count-request.ts';
import type { Metrics } from './metrics.ts';
import { type Label, LabelSet, UNKNOWN } from './series.ts';

/** A connection of a client that is over. */
export interface ConnectionCounts {
  readonly port: number;
  readonly received: number;
  readonly sent: number;
}

/** METRIC-002: counts a connection that is over. */
export function countConnection(metrics: Metrics, view: View, { port, received, sent }: ConnectionCounts): void {
  const { values, added } = labelsOf(view, port);
  const set = new LabelSet(METRICS.connections.labels, values, added);
  metrics.of.connections.at(set).add(1);
  metrics.of.received.at(set).add(received);
  metrics.of.sent.at(set).add(sent);
}

/** A handshake of TLS that is over. */
export interface HandshakeCounts {
  readonly port: number;
  readonly result: 'ok' | 'failed';
  readonly seconds: number;
}

/** Counts a handshake, whatever came of it. */
export function countHandshake(metrics: Metrics, view: View, { port, result, seconds }: HandshakeCounts): void {
  const { values, added } = labelsOf(view, port);
  metrics.of.handshakes.at(new LabelSet(METRICS.handshakes.labels, [result, ...values], added)).add(seconds);
}

/**
 * METRIC-002: connections have the added labels too. There is no request their expressions could be about, so only those
 * that need none have a value. Several listeners of a port share a connection: then it has no listener.
 */
function labelsOf(view: View, port: number): { readonly values: readonly string[]; readonly added: readonly Label[] } {
  const { listeners = [] } = view.binds.get(port) ?? {};
  const [listener, another] = listeners;
  const protocol = listener === undefined ? UNKNOWN : listeners.some(({ tls }) => tls !== undefined) ? 'https' : 'http';
  const frontend = listener && compiledFrontend(listener.frontend);
  const added = addedLabels(frontend?.labels ?? [], () => undefined);
  const values =
    listener === undefined || another !== undefined
      ? [String(port), UNKNOWN, UNKNOWN, protocol]
      : [String(port), `${listener.gateway.namespace}/${listener.gateway.name}`, listener.name, protocol];
  return { values, added };
}
