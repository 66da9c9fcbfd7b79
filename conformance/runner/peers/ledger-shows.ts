import type { Ledger } from '../../../mocks/ledger.ts';
import { withinFair } from '../sut/time/fair-time.ts';

/** True as soon as the ledger of a peer is as wanted, false after so many milliseconds of fair time. */
export async function ledgerShows(
  ledger: Ledger,
  wanted: (ledger: Ledger) => boolean,
  limitMs: number,
): Promise<boolean> {
  if (wanted(ledger)) return true;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = ledger.onChange(() => {
    if (wanted(ledger)) resolve();
  });
  try {
    return await withinFair([promise], limitMs);
  } finally {
    end();
  }
}
