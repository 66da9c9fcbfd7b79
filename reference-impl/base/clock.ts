/** The only door to time. Tests pass a clock they can stop. */
export interface Clock {
  /** Monotonic milliseconds, with fractions; only differences mean anything. */
  readonly monotonic: () => number;
  /** Wall clock, milliseconds since 1970. */
  readonly wall: () => number;
  /** Runs `task` after `delay` milliseconds unless the returned function is called first. */
  readonly after: (delay: number, task: () => void) => () => void;
}

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after: (delay, task) => {
    const timer = setTimeout(task, delay);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** RFC 3339 with milliseconds, in UTC. */
export function rfc3339(wall: number): string {
  // A date has whole milliseconds.
  const whole = Math.trunc(wall);
  const second = Math.floor(whole / 1000);
  // Whoever writes a line for each request asks thousands of times within one second.
  if (second !== latest.second) {
    latest.text = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    latest.second = second;
  }
  return `${latest.text}${String(whole - second * 1000).padStart(3, '0')}Z`;
}

/** The second that was asked for last: its text, up to the point before its milliseconds. */
const latest = { second: Number.NaN, text: '' };

/** Milliseconds since 1970 of an RFC 3339 text; undefined for any other. */
export function wallTime(text: string): number | undefined {
  const wall = Date.parse(text);
  return Number.isNaN(wall) ? undefined : wall;
}
