// Burns one CPU for so many milliseconds, or until whoever started it is gone. Usage: node bench/stress/hog.ts MILLISECONDS
import { setImmediate as breathe } from 'node:timers/promises';

const MOST_MS = 30 * 60_000;
const BURST_MS = 20;
const end = performance.now() + Math.min(Number(process.argv[2] ?? 0), MOST_MS);
const parent = process.ppid;

while (performance.now() < end && process.ppid === parent) {
  const until = performance.now() + BURST_MS;
  while (performance.now() < until) Math.sqrt(Math.random());
  await breathe();
}
