/** Milliseconds that were lost since the last look, by who lost them. */
export interface Losses {
  /** This process, and with it the mocks, came late to what was due. */
  readonly runner: number;
  /** The programs under test wanted to run and were not let. */
  readonly programs: number;
  /** Nobody on this machine could run: its CPU time was stolen or throttled. */
  readonly machine: number;
  /** An answer that is quick on a quiet machine took so much longer. */
  readonly heartbeat: number;
}

/** What a clock has seen, for the report. */
export interface FairTale {
  /** Wall time for which somebody waited, and what of it counted, in milliseconds. */
  readonly waitedMs: number;
  readonly countedMs: number;
  readonly lostMs: Losses;
  /** How much longer limits were at the worst moment; 1 when nothing was lost. */
  readonly stretch: number;
  /** Waits that ended well after their limit, because it was stretched. */
  readonly overtimes: number;
}

/**
 * A clock that counts only the time in which whoever is waited for could work: limits measured with it are stretched by what a busy
 * machine takes away, up to eight times.
 */
export interface FairClock {
  /** Milliseconds of fair time; only differences mean something. */
  readonly now: () => number;
  /** Calls back when so many milliseconds of fair time have passed. The answer calls it off. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Acts as if so many milliseconds had passed; waits that began with less than `sparedMs` go on as they were. */
  readonly pass: (ms: number, sparedMs: number) => void;
  /** How much longer a limit takes at this moment. */
  readonly stretch: () => number;
  readonly tale: () => FairTale;
}

/** Where a clock gets its time from; tests bring their own. */
export interface ClockSources {
  /** Milliseconds of wall time. */
  readonly now: () => number;
  /** Everything that was lost in an interval but lateness of this process, which the clock sees itself. */
  readonly losses: (intervalMs: number) => Omit<Losses, 'runner'>;
  readonly schedule: (callback: () => void, ms: number) => () => void;
}

/** A limit is stretched so many times at most: an implementation that hangs is found out on any machine. */
export const MOST_STRETCH = 8;

const TICK_MS = 25;
/** Timers of Node are a little late on any machine. */
const SLACK_MS = 5;
/** What was lost in one moment is taken from the next ones too, but not for ever. */
const MOST_DEBT_MS = 2000;
/** The stretch of a moment is that of the last second. */
const MOMENT_MS = 1000;

interface Wait {
  due: number;
  readonly began: number;
  readonly ms: number;
  readonly callback: () => void;
}

/** Makes a clock. It works only while somebody waits; otherwise it costs nothing and all time is fair. */
export function createFairClock({ now, losses, schedule }: ClockSources): FairClock {
  const waits = new Set<Wait>();
  const book = createBook();
  let wall = now();
  let fair = 0;
  let debt = 0;
  let planned = 0;
  let cancel: (() => void) | undefined;

  const begin = (): void => {
    fair += now() - wall;
    wall = now();
    debt = 0;
    losses(0);
    plan();
  };
  const plan = (): void => {
    const next = Math.min(TICK_MS, ...[...waits].map(({ due }) => Math.max(1, due - fair)));
    planned = next;
    cancel = schedule(tick, next);
  };
  const tick = (): void => {
    count();
    for (const wait of waits) {
      if (wait.due > fair + 0.5) continue;
      waits.delete(wait);
      wait.callback();
    }
    if (waits.size > 0) plan();
    else cancel = undefined;
  };
  const count = (): void => {
    const interval = now() - wall;
    wall += interval;
    const lost = { runner: Math.max(0, interval - planned - SLACK_MS), ...losses(interval) };
    debt = Math.min(debt + sumOf(lost), MOST_DEBT_MS);
    const taken = Math.min(debt, interval * (1 - 1 / MOST_STRETCH));
    debt -= taken;
    fair += interval - taken;
    book.enter(interval, taken, lost);
  };
  const current = (): number => fair + (cancel === undefined ? now() - wall : Math.min(now() - wall, TICK_MS));
  return {
    now: current,
    stretch: book.stretch,
    tale: book.tale,
    pass: (ms, sparedMs) => {
      fair += ms;
      for (const wait of waits) if (wait.ms < sparedMs) wait.due += ms;
    },
    after: (ms, callback) => {
      if (cancel === undefined) begin();
      const wait = { due: current() + ms, began: now(), ms, callback };
      waits.add(wait);
      if (ms < TICK_MS) {
        cancel?.();
        count();
        plan();
      }
      return () => {
        if (!waits.delete(wait)) return;
        if (now() - wait.began > ms + TICK_MS) book.overtime();
        if (waits.size > 0) return;
        cancel?.();
        cancel = undefined;
      };
    },
  };
}

/** What one request loses it loses on its way through this process and the programs; the heartbeat has lost the same. */
function sumOf({ runner, programs, machine, heartbeat }: Losses): number {
  return Math.max(runner + programs + machine, heartbeat);
}

interface Book extends Pick<FairClock, 'stretch' | 'tale'> {
  readonly enter: (intervalMs: number, takenMs: number, lost: Losses) => void;
  readonly overtime: () => void;
}

function createBook(): Book {
  const lostMs = { runner: 0, programs: 0, machine: 0, heartbeat: 0 };
  let waitedMs = 0;
  let countedMs = 0;
  let worst = 1;
  let overtimes = 0;
  let moment = { waited: 0, counted: 0 };
  let before = 1;
  const ratio = ({ waited, counted }: typeof moment): number => (counted === 0 ? 1 : waited / counted);
  return {
    enter: (interval, taken, lost) => {
      waitedMs += interval;
      countedMs += interval - taken;
      for (const name of ['runner', 'programs', 'machine', 'heartbeat'] as const) lostMs[name] += lost[name];
      moment = { waited: moment.waited + interval, counted: moment.counted + interval - taken };
      if (moment.waited < MOMENT_MS) return;
      before = ratio(moment);
      worst = Math.max(worst, before);
      moment = { waited: 0, counted: 0 };
    },
    overtime: () => {
      overtimes += 1;
    },
    stretch: () => Math.max(before, moment.waited < MOMENT_MS / 4 ? 1 : ratio(moment)),
    tale: () => ({ waitedMs, countedMs, lostMs: { ...lostMs }, stretch: worst, overtimes }),
  };
}
