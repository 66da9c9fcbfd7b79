import type { Received } from '../../exchange/exchange.ts';
import type { Services } from '../services.ts';
import type { KeySet } from './key-set.ts';

/** Gives the keys of a provider for a request, at once where it has them. Never rejects. */
export type KeySetSource = (exchange: Received, services: Services) => KeySet | Promise<KeySet>;
