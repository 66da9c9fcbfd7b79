import { lastingState, type Services } from '../../../credentials/services.ts';
import type { Answer, Received } from '../../../exchange/exchange.ts';
import { CONTINUE, type Outcome } from '../../../exchange/outcome.ts';
import { refusal } from '../../../exchange/refusal.ts';
import type { LocalRateLimit } from '../../../resources/proxy-policy/fields/rate-limit.ts';
import { Bucket, type Rate } from './bucket.ts';

export type CompiledLocal = readonly Entry[];

interface Entry {
  readonly counts: 'requests' | 'tokens';
  readonly rate: Rate;
}

/** Compiles `rateLimit.local`. docs/decisions/local-rate-limit.md */
export function compileLocal(fields: readonly LocalRateLimit[]): CompiledLocal {
  return fields.map(compileEntry);
}

/**
 * Lets the request pass when no entry is used up (RATE-008), and then counts it everywhere; otherwise answers 429 and
 * counts it nowhere.
 */
export function decideLocal({ clock }: Received, entries: CompiledLocal, services: Services): Outcome {
  const now = clock.monotonic();
  const buckets = bucketsOf(services, entries);
  const usedUp = buckets.find(({ bucket }) => bucket.available(now) < 1);
  // RATE-001, RATE-003, RATE-011
  if (usedUp !== undefined) return { kind: 'answer', answer: tooMany(usedUp.bucket, now) };
  for (const { counts, bucket } of buckets) if (counts === 'requests') bucket.take(1, now);
  return CONTINUE;
}

/**
 * Books the tokens of a completed request, input and output together (RATE-009). They are known only now, so they count
 * against later requests (RATE-010). A negative number gives back what was booked too much.
 */
export function bookTokens(
  entries: CompiledLocal,
  tokens: number,
  { clock }: Pick<Received, 'clock'>,
  services: Services,
): void {
  const buckets = bucketsOf(services, entries);
  for (const { counts, bucket } of buckets) if (counts === 'tokens') bucket.take(tokens, clock.monotonic());
}

/** One bucket per entry, for everybody who meets the policy (RATE-025); full at first. */
const bucketsOf = lastingState((entries: CompiledLocal) =>
  entries.map(({ counts, rate }) => ({ counts, bucket: new Bucket(rate) })),
);

/** RATE-005: milliseconds. */
const UNITS = { Seconds: 1000, Minutes: 60_000, Hours: 3_600_000 } as const;

/** RATE-004, RATE-006. RATE-024: no burst is none. */
function compileEntry({ requests, tokens, unit, burst = 0 }: LocalRateLimit): Entry {
  const amount = requests ?? tokens ?? 0;
  const rate = { capacity: amount + burst, amount, interval: UNITS[unit] };
  return { counts: requests === undefined ? 'tokens' : 'requests', rate };
}

function tooMany(bucket: Bucket, now: number): Answer {
  const answer = refusal('rateLimitExceeded');
  const headers = answer.headers
    .set('x-ratelimit-limit', String(bucket.rate.capacity))
    .set('x-ratelimit-remaining', String(Math.floor(bucket.available(now))))
    .set('x-ratelimit-reset', String(Math.floor(bucket.untilRefill(now) / 1000)));
  return { ...answer, headers };
}
