import { readdirSync, readFileSync } from 'node:fs';

/** What the system says about CPU time. All of it is Linux's; elsewhere the meters show nothing lost. */

const NS_PER_MS = 1e6;
const US_PER_MS = 1e3;
/** Programs start threads and children; looking for them costs more than reading what they waited. */
const RELIST_MS = 1000;

/** What the system counts of a thread. */
interface Turns {
  readonly waitedMs: number;
  /** How often it had a CPU. */
  readonly turns: number;
}

/**
 * A meter of the time the programs wanted to run and were not let, in milliseconds since its last reading: that of the thread that
 * waited longest, among all threads of these processes and their children.
 */
export function createWaitMeter(pids: () => readonly number[]): () => number {
  let all: ReadonlyMap<string, Turns> = new Map();
  let busy: ReadonlyMap<string, Turns> = new Map();
  let listed = -Infinity;
  return () => {
    const before = busy;
    const now = performance.now();
    if (now - listed > RELIST_MS) {
      const earlier = all;
      all = readTurns(pids().flatMap(withChildren).flatMap(threadFiles));
      // Most threads of a program sleep; only those that ran meanwhile, or are new, are looked at until the next time.
      busy = new Map([...all].filter(([file, { turns }]) => earlier.get(file)?.turns !== turns));
      listed = now;
    } else busy = readTurns([...busy.keys()]);
    const grown = [...busy].map(([file, { waitedMs }]) => waitedMs - (before.get(file)?.waitedMs ?? waitedMs));
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

function readTurns(files: readonly string[]): ReadonlyMap<string, Turns> {
  return new Map(files.flatMap((file) => turnsOf(file)));
}

// Time on a CPU, time waiting for one, number of turns.
function turnsOf(file: string): readonly (readonly [string, Turns])[] {
  const [, waited, turns] = read(file)?.split(' ') ?? [];
  return waited === undefined ? [] : [[file, { waitedMs: Number(waited) / NS_PER_MS, turns: Number(turns) }]];
}

/** Two files of the system are read for it, and they do not change quickly. */
const SELDOM_MS = 100;

/** A meter of the share of CPU time that the host took from this machine or its limits took from this group, since its last reading. */
export function createTakenMeter(): (intervalMs: number) => number {
  let before = { total: 0, stolen: 0, throttledMs: throttledMs() };
  let sinceMs = 0;
  return (moreMs) => {
    sinceMs += moreMs;
    // What is asked for an interval of nothing begins anew.
    if (moreMs > 0 && sinceMs < SELDOM_MS) return 0;
    const intervalMs = sinceMs;
    sinceMs = 0;
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
