import { Cancellation } from '../../base/cancellation.ts';
import type { Asked, Seat } from './asked.ts';
import { endAt } from './transports/transports.ts';

/** Ends sessions at targets when nobody waits for it. */
export function endSeats(asked: Asked, seats: readonly Seat[]): void {
  // The client may be gone before the targets have heard.
  const alone: Asked = { ...asked, exchange: { ...asked.exchange, cancellation: new Cancellation() } };
  for (const seat of seats) {
    endAt(alone, seat).catch((error: unknown) => {
      asked.services.log.warn('MCP session not ended', { error: String(error) });
    });
  }
}
