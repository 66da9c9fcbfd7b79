import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { perObject } from '../base/per-object.ts';
import type { Lifetime } from './http1-lifetime.ts';
import type { Inlet } from './pipelining.ts';

/** What is known of a connection of a client. */
export interface Connection {
  inlet?: Inlet;
  lifetime?: Lifetime;
  latest?: ServerResponse | undefined;
}

export const connectionOf = perObject<Duplex, Connection>(() => ({}));
