import { z } from 'zod';
import { createMetrics, type Metrics } from '../../telemetry/metrics/metrics.ts';
import type { DataPlaneOptions } from './data-plane.ts';

export type Line = Readonly<Record<string, unknown>>;

/** Counts, and keeps the lines of the log; `line` resolves to the one that fits, also one that is still to come. */
export function record(): DataPlaneOptions & { metrics: Metrics; lines: Line[]; line: (fits: Line) => Promise<Line> } {
  const metrics = createMetrics('1.2.3');
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const writeLine = (text: string): void => {
    lines.push(z.record(z.string(), z.unknown()).parse(JSON.parse(text)));
    for (const look of waiting) look();
  };
  const line = (fits: Line): Promise<Line> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = lines.find((one) => Object.entries(fits).every(([key, value]) => one[key] === value));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { metrics, lines, line, recording: { metrics, writeLine } };
}
