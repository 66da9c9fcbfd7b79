import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

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

/** How far back a wait may reach: the system says how long a thread waited only when it runs again, which on a busy machine is many looks later. */
const MOST_BEHIND_MS = 1000;

/**
 * A meter of the time the programs wanted to run and were not let, in milliseconds since its last reading: that of the thread that
 * waited longest, among all threads of these processes and their children. It is told how long ago that reading was, zero when that
 * does not matter, and never says more than has passed in all.
 */
export function createWaitMeter(pids: () => readonly number[]): (intervalMs: number) => number {
  let known: ReadonlyMap<string, Turns> = new Map();
  let busy: readonly string[] = [];
  const held = holdOpen();
  let listed = { at: -Infinity, of: '' };
  // What has passed and was not lost to anybody yet.
  let open = 0;
  return (intervalMs) => {
    open = intervalMs === 0 ? 0 : Math.min(open + intervalMs, MOST_BEHIND_MS);
    const before = known;
    const of = pids().join();
    const now = performance.now();
    // Of a program that was just started nothing may be missed: it never wants more of the CPU.
    if (now - listed.at > RELIST_MS || of !== listed.of) {
      known = readTurns(pids().flatMap(withChildren).flatMap(threadFiles), read);
      // Most threads of a program sleep; only those that ran meanwhile, or are new, are looked at until the next time.
      busy = [...known].flatMap(([file, { turns }]) => (before.get(file)?.turns === turns ? [] : [file]));
      held.only(new Set(busy));
      listed = { at: now, of };
    } else known = new Map([...known, ...readTurns(busy, held.read)]);
    const grown = [...known].map(([file, { waitedMs }]) => waitedMs - (before.get(file)?.waitedMs ?? 0));
    const lost = Math.min(open, Math.max(0, ...grown));
    open -= lost;
    return lost;
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

function readTurns(files: readonly string[], textOf: typeof read): ReadonlyMap<string, Turns> {
  return new Map(files.flatMap((file) => turnsOf(file, textOf(file))));
}

// Time on a CPU, time waiting for one, number of turns.
function turnsOf(file: string, text: string | undefined): readonly (readonly [string, Turns])[] {
  const [, waited, turns] = text?.split(' ') ?? [];
  return waited === undefined ? [] : [[file, { waitedMs: Number(waited) / NS_PER_MS, turns: Number(turns) }]];
}

/** More than three numbers take. */
const LINE_BYTES = 96;

/** Reads short files over and over. They stay open, until they are not among those wanted: opening one takes four times as long as reading it. */
function holdOpen(): { readonly read: typeof read; readonly only: (files: ReadonlySet<string>) => void } {
  const held = new Map<string, number>();
  const line = Buffer.alloc(LINE_BYTES);
  const readHeld = (file: string): string => {
    const descriptor = held.get(file) ?? openSync(file, 'r');
    held.set(file, descriptor);
    return line.toString('latin1', 0, readSync(descriptor, line, 0, LINE_BYTES, 0));
  };
  return {
    read: (file) => orUndefined(() => readHeld(file)),
    only: (files) => {
      for (const [file, descriptor] of held) {
        if (files.has(file)) continue;
        held.delete(file);
        closeSync(descriptor);
      }
    },
  };
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
  return orUndefined(() => readFileSync(file, 'utf8'));
}

/** What is gone, or not of this system, says nothing. */
function orUndefined(text: () => string): string | undefined {
  try {
    return text();
  } catch {
    return undefined;
  }
}
