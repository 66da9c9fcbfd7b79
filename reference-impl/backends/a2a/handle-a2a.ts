import type { Targeted } from '../../exchange/exchange.ts';
import type { Services } from '../../credentials/services.ts';
import type { Backend, Prepared } from '../backend.ts';
import { http } from '../http.ts';
import { asksForCard } from './card-address.ts';
import { noteCall } from './note-call.ts';
import { showCard } from './show-card.ts';

/**
 * An agent: calls and their answers pass as they are, byte for byte (A2A-002). Only its card, which tells clients where
 * to call, is told anew, so that they stay with the proxy. docs/decisions/a2a.md
 */
export const a2a: Backend = {
  prepare: (exchange: Targeted, services: Services): Prepared => {
    const prepared = http.prepare(exchange, services);
    if (!asksForCard(prepared.exchange.request)) return noteCall(prepared);
    return { ...prepared, receive: (answer) => showCard(answer, prepared.exchange) };
  },
  send: http.send,
};
