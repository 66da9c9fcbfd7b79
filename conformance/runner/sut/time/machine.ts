import { readdirSync, readFileSync } from 'node:fs';

/** What the system says about CPU time. All of it is Linux's; elsewhere the meters show nothing lost. */

const NS_PER_MS = 1e6;
const US_PER_MS = 1e3;
/** Programs start threads and children; looking for them costs more than reading what they waited. */
const RELIST_MS = 1000;

/**
 * A meter of the time the programs wanted to run and were not let, in milliseconds since its last reading: that of the thread that
 * waited longest, among all threads of these processes and their children.
 */
export function createWaitMeter(pids: () => readonly number[]): () => number {
  let files: readonly string[] = [];
  let listed = -Infinity;
  let waited = new Map<string, number>();
  return () => {
    const now = performance.now();
    if (now - listed > RELIST_MS) {
      files = pids().flatMap(withChildren).flatMap(threadFiles);
      listed = now;
    }
    const before = waited;
    waited = new Map(files.flatMap((file) => entryOf(file)));
    const grown = [...waited].map(([file, ms]) => ms - (before.get(file) ?? ms));
    return Math.max(0, ...grown);
  };
}

function withChildren(pid: number): readonly number[] {
  const children = (read(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter((word) => word !== '');
  return [pid, ...children.map(Number).flatMap(withChildren)];
}

function threadFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`);
  } catch {
    return []; // it has ended, or this is no Linux
  }
}

// Time on a CPU, time waiting for one, number of turns.
function entryOf(file: string): readonly (readonly [string, number])[] {
  const waited = read(file)?.split(' ')[1];
  return waited === undefined ? [] : [[file, Number(waited) / NS_PER_MS]];
}

/** A meter of the share of CPU time that the host took from this machine or its limits took from this group, since its last reading. */
export function createTakenMeter(): (intervalMs: number) => number {
  let before = { total: 0, stolen: 0, throttledMs: throttledMs() };
  return (intervalMs) => {
    const now = { ...cpuTimes(), throttledMs: throttledMs() };
    const total = now.total - before.total;
    const share = total > 0 ? Math.min(1, (now.stolen - before.stolen) / total) : 0;
    const throttled = now.throttledMs - before.throttledMs;
    before = now;
    return Math.min(intervalMs, share * intervalMs + throttled);
  };
}

function cpuTimes(): { readonly total: number; readonly stolen: number } {
  const [, ...ticks] = (read('/proc/stat') ?? '').split('\n')[0]?.split(/ +/) ?? [];
  const numbers = ticks.slice(0, 8).map(Number);
  return { total: numbers.reduce((sum, each) => sum + each, 0), stolen: numbers[7] ?? 0 };
}

function throttledMs(): number {
  const [, text = '0'] = /^throttled_usec (\d+)$/m.exec(read('/sys/fs/cgroup/cpu.stat') ?? '') ?? [];
  return Number(text) / US_PER_MS;
}

/** Milliseconds since boot in which something on this machine waited for a CPU; undefined where the system does not say. */
export function pressureMs(): number | undefined {
  const [, text] = /^some .*total=(\d+)$/m.exec(read('/proc/pressure/cpu') ?? '') ?? [];
  return text === undefined ? undefined : Number(text) / US_PER_MS;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
