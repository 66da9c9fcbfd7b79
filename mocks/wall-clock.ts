/** Milliseconds since 1970, by the clock that every process of the machine reads: it may be set, also while a run goes on, and then it is set for all. */
export function wallClock(): number {
  return Date.now();
}
