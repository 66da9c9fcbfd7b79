import type { IncomingMessage, ServerResponse } from 'node:http';
import type { View } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Snapshot } from '../store/snapshot.ts';
import type { Watchers } from '../trace/watchers.ts';
import type { KnownObjects } from './resource-api/known-objects.ts';
import type { ResourceApi } from './resource-api/resource-api.ts';
import type { Turns } from './send/turns.ts';
import type { Unread } from './unread.ts';

/** What the admin listener may look at and act on. */
export interface AdminContext {
  /** The configuration in force, resolved. */
  readonly view: () => View;
  /** The configuration in force, as it was written. */
  readonly snapshot: () => Snapshot;
  readonly watchers: Watchers;
  readonly clock: Clock;
  /** Something the operator should know. */
  readonly log: Log['warn'];
  /** What the proxy still waits for before it can serve; leaving it out means that it can. */
  readonly pending?: () => readonly string[];
  /** The resources with times in their conditions; without it statuses have none. */
  readonly objects?: Pick<KnownObjects, 'get'>;
  /** Where the page may send requests to; leaving it out means nowhere. */
  readonly data?: DataPorts;
  /** Answers everything below the paths of orchestrators; leaving it out means that there is none. */
  readonly resourceApi?: ResourceApi;
}

/** The data ports of this proxy. */
export interface DataPorts {
  /** The address they are bound to. */
  readonly address: string;
  /** Those that accept connections. */
  readonly ports: () => readonly number[];
}

/** What one admin listener keeps for all its requests. */
export interface AdminServices extends AdminContext {
  /** Differs from that of any other process: generations of the configuration count from one again in each. */
  readonly instance: string;
  readonly unread: Unread;
  /** Of requests that pages send. */
  readonly turns: Turns;
}

/** One request to the admin listener. The query is decoded; the body is ignored by every endpoint but those of the resource API and the one that sends requests. */
export interface AdminRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
}

/** Answers one method of one path. What it throws becomes a 500 and a line in the log. */
export type Endpoint = (exchange: AdminRequest, context: AdminServices) => void | Promise<void>;

/** Ends the exchange with one line of text. */
export function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...NEVER_STORED });
  response.end(`${text}\n`);
}

/** Ends the exchange with JSON made for reading. */
export function answerJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json', ...NEVER_STORED });
  response.end(`${JSON.stringify(value, undefined, 2)}\n`);
}

const NEVER_STORED = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
