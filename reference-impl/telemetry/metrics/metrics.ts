import { METRICS } from '../names/metrics.ts';
import { createSeries, LabelSet, type Series } from './series.ts';
import { metricText } from './text.ts';

/** Everything that is counted while somebody can read it. */
export interface Metrics {
  readonly of: Readonly<Record<keyof typeof METRICS, Series>>;
  /** Log entries, spans or series that nobody gets. */
  readonly drop: (output: string, count: number) => void;
  /** All of it in the Prometheus text format. */
  readonly text: () => string;
}

/** `tag` is the version that is counted for. */
export function createMetrics(tag: string): Metrics {
  const dropped = createSeries(METRICS.dropped, () => {});
  const drop = (output: string, count: number): void => {
    dropped.at(new LabelSet(METRICS.dropped.labels, [output], [])).add(count);
  };
  const open = (name: keyof typeof METRICS): Series => createSeries(METRICS[name], () => drop('metrics', 1));
  const of: Metrics['of'] = {
    requests: open('requests'),
    duration: open('duration'),
    bytes: open('bytes'),
    processing: open('processing'),
    responseProcessing: open('responseProcessing'),
    connects: open('connects'),
    calls: open('calls'),
    retries: open('retries'),
    answers: open('answers'),
    mcp: open('mcp'),
    checks: open('checks'),
    tokens: open('tokens'),
    cost: open('cost'),
    catalog: open('catalog'),
    llmDuration: open('llmDuration'),
    firstToken: open('firstToken'),
    perToken: open('perToken'),
    connections: open('connections'),
    received: open('received'),
    sent: open('sent'),
    handshakes: open('handshakes'),
    build: open('build'),
    dropped,
  };
  of.build.at(new LabelSet(METRICS.build.labels, [tag], [])).add(1);
  return { of, drop, text: () => Object.values(of).map(metricText).join('') };
}
