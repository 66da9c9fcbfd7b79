import { createStatsServer } from '../../admin/stats.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { LogFormat } from '../../telemetry/log-formats.ts';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';
import { TEXT_TYPE } from '../../telemetry/metrics/text.ts';
import { createTelemetry, type Telemetry } from '../../telemetry/telemetry.ts';
import type { Callers } from '../../upstream/callers.ts';
import { createLineSink } from './line-sink.ts';

/** What the program tells about requests, and where. */
export interface Outputs {
  readonly telemetry: Telemetry;
  /** Undefined when nothing is counted. */
  readonly stats:
    | { readonly listen: (address: string) => Promise<void>; readonly close: () => Promise<void> }
    | undefined;
  /** Gives everything away that waits, for at most a second; for the end of the program. */
  readonly flush: () => Promise<void>;
}

/** What the command line says of them. */
export interface Wanted {
  readonly statsPort?: number;
  readonly accessLogFormat: LogFormat;
}

interface Means {
  /** Undefined when nothing is counted. */
  readonly metrics: Metrics | undefined;
  readonly callers: Callers;
  readonly clock: Clock;
  readonly log: Log;
}

const STDOUT = 1;
/** Milliseconds a collector has when the program ends. */
const LAST_PATIENCE = 1000;

/** Entries of access logs go to stdout, metrics to the stats listener, the rest where policies say. */
export function createOutputs(
  { statsPort, accessLogFormat: format }: Wanted,
  { metrics, callers, clock, log }: Means,
): Outputs {
  const sink = createLineSink(STDOUT, (count) => metrics?.drop('lines', count), { clock });
  const telemetry = createTelemetry({ callers, clock, log, metrics, format, writeLine: sink.write });
  const server = metrics && createStatsServer(metrics.text, TEXT_TYPE);
  return {
    telemetry,
    stats: server && {
      listen: async (address) => {
        const port = await server.listen(statsPort ?? 0, address);
        log.info('stats', { address, port });
      },
      close: server.close,
    },
    flush: async () => {
      const given = Promise.all([telemetry.flush(), sink.flush()]);
      await Promise.race([given, new Promise((resolve) => clock.after(LAST_PATIENCE, () => resolve(undefined)))]);
    },
  };
}
