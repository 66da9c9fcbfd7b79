import { expect, test } from 'vitest';
import type { PolicyReferences } from '../../attachment/view.ts';
import { createLog } from '../../base/log.ts';
import { createExporter, type Exporter } from '../../telemetry/otlp/exporter.ts';
import { manualClock } from '../trace/manual-clock.ts';

const REFERENCES: PolicyReferences = {
  backend: () => ({ unresolved: 'backendNotFound', message: 'nobody asks' }),
  secret: () => undefined,
  configMap: () => undefined,
  secretsByLabels: () => [],
  configMapsByLabels: () => [],
};

interface Bench {
  readonly exporter: Exporter<number>;
  readonly sent: (readonly number[])[];
  readonly dropped: number[];
  readonly lines: string[];
  readonly busy: Set<() => Promise<void>>;
  readonly pass: (milliseconds: number) => void;
}

function bench(send: (items: readonly number[]) => Promise<void> = () => Promise.resolve()): Bench {
  const clock = manualClock();
  const sent: (readonly number[])[] = [];
  const dropped: number[] = [];
  const lines: string[] = [];
  const busy = new Set<() => Promise<void>>();
  const exporter = createExporter<number>({
    send: (items) => {
      sent.push(items);
      return send(items);
    },
    onDrop: (count) => dropped.push(count),
    clock,
    log: createLog((line) => lines.push(line), clock),
    busy,
  });
  return { exporter, sent, dropped, lines, busy, pass: clock.advance };
}

test('records wait for others and go together', async () => {
  const { exporter, sent, pass, busy } = bench();
  exporter.add(1, REFERENCES);
  exporter.add(2, REFERENCES);
  expect(sent).toEqual([]);
  expect(busy.size).toBe(1);
  pass(200);
  await exporter.flush();
  expect(sent).toEqual([[1, 2]]);
  expect(busy.size).toBe(0);
});

test('who has nothing to send sends what comes later all the same', async () => {
  const { exporter, sent, pass } = bench();
  await exporter.flush();
  exporter.add(1, REFERENCES);
  pass(200);
  await exporter.flush();
  expect(sent).toEqual([[1]]);
});

test('a batch has a bound, and one is under way at a time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { exporter, sent } = bench(() => promise);
  for (let item = 0; item < 600; item += 1) exporter.add(item, REFERENCES);
  const flushed = exporter.flush();
  expect(sent.map(({ length }) => length)).toEqual([512]);
  resolve();
  await flushed;
  expect(sent.map(({ length }) => length)).toEqual([512, 88]);
});

test('a collector that hangs costs what does not fit into the queue, which is counted', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { exporter, dropped } = bench(() => promise);
  exporter.add(0, REFERENCES);
  const flushed = exporter.flush();
  for (let item = 0; item < 2050; item += 1) exporter.add(item, REFERENCES);
  expect(dropped).toEqual([1, 1]);
  resolve();
  await flushed;
});

test('a collector that fails costs its batch, and is logged once', async () => {
  const { exporter, dropped, lines, sent } = bench(() => Promise.reject(new Error('nobody there')));
  for (const item of [1, 2]) {
    exporter.add(item, REFERENCES);
    await exporter.flush();
  }
  expect(sent).toEqual([[1], [2]]);
  expect(dropped).toEqual([1, 1]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('nobody there');
});
