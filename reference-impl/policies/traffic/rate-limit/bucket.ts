/** How much fits into a bucket, and how much comes back how often. Buckets of one entry share it. */
export interface Rate {
  /** What a full bucket holds. */
  readonly capacity: number;
  /** What comes back after each interval. */
  readonly amount: number;
  /** Milliseconds. */
  readonly interval: number;
}

/**
 * A token bucket: full at first, and filled up by `amount` at the end of each interval, all at once. The intervals
 * count from the first question. It costs two numbers and no timer, so there can be millions.
 */
export class Bucket {
  readonly rate: Rate;
  #available: number;
  /** Begin of the current interval, on the clock of the questions; NaN before the first. */
  #since = Number.NaN;

  constructor(rate: Rate) {
    this.rate = rate;
    this.#available = rate.capacity;
  }

  /** What can be taken at `now`, which is milliseconds on a monotonic clock. */
  available(now: number): number {
    this.#refill(now);
    return this.#available;
  }

  /** Takes that much, or as much as there is; a negative amount is given back. Never below 0 or above the capacity. */
  take(amount: number, now: number): void {
    this.#refill(now);
    this.#available = Math.min(this.rate.capacity, Math.max(0, this.#available - amount));
  }

  /** Milliseconds until something comes back. */
  untilRefill(now: number): number {
    this.#refill(now);
    return this.#since + this.rate.interval - now;
  }

  #refill(now: number): void {
    if (Number.isNaN(this.#since)) this.#since = now;
    const { capacity, amount, interval } = this.rate;
    const passed = Math.floor((now - this.#since) / interval);
    if (passed <= 0) return;
    this.#since += passed * interval;
    this.#available = Math.min(capacity, this.#available + passed * amount);
  }
}
