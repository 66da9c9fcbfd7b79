import type { Json } from '../json.ts';
import type { Seat, Setback } from './asked.ts';
import type { Response } from './message.ts';

/** What a target says of itself, or why it says nothing. */
export type Opened =
  | {
      readonly kind: 'opened';
      readonly seat: Seat;
      /** As the result of `initialize` has it. */
      readonly result: Json;
      /** What a server without sessions says in its own revision. */
      readonly discovered?: Json;
    }
  /** The target says no. */
  | { readonly kind: 'declines'; readonly seat: Seat; readonly response: Response }
  | (Setback & { readonly seat: Seat });
