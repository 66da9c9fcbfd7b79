import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { ApiSource } from '../../store/sources/api.ts';
import type { Unread } from '../unread.ts';
import type { ApiAnswer } from './answer.ts';
import type { KnownObjects } from './known-objects.ts';

/** What the resource API acts on. */
export interface ResourceApiContext {
  readonly objects: KnownObjects;
  readonly source: ApiSource;
  /** Resolves when the configuration of this moment is in force, its ports included. */
  readonly live: () => Promise<void>;
  readonly clock: Clock;
}

/** What one resource API keeps for all its calls. */
export interface ApiContext extends ResourceApiContext {
  readonly unread: Unread;
}

/** One request, with its body not read yet. */
export interface ApiCall {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  readonly context: ApiContext;
}

/** Answers one method at one sort of path. */
export type Handler<Path> = (call: ApiCall, path: Path) => ApiAnswer | Promise<ApiAnswer>;
