import type { Listened, Received, Routed, Targeted } from '../exchange/exchange.ts';
import type { CompiledPhase } from './compile-phase.ts';

/**
 * How far one request has come. The only thing that changes while a request is handled: everything in it is replaced,
 * never edited, so what a snapshot saw stays as it was.
 */
export interface Journey {
  readonly received: Received;
  gateway?: Passage<Listened>;
  route?: Passage<Routed>;
  backend?: Passage<Targeted>;
}

/** One phase under way. */
export interface Passage<Stage extends Received> {
  readonly phase: CompiledPhase<Stage>;
  /** The exchange as the steps so far left it. */
  exchange: Stage;
  /** How many steps were reached, the one that answered included. */
  reached: number;
}

export function enter<Stage extends Received>(phase: CompiledPhase<Stage>, exchange: Stage): Passage<Stage> {
  return { phase, exchange, reached: 0 };
}

/** The exchange with everything known about it by now. */
export function latest({ received, gateway, route, backend }: Journey): Received {
  return (backend ?? route ?? gateway)?.exchange ?? received;
}
