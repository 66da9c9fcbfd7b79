import type { View } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import type { Services } from '../credentials/services.ts';
import type { Watchers } from '../trace/watchers.ts';
import type { Backlog } from './backlog.ts';
import type { Enter } from './inner-connection.ts';

/** What a data listener serves with. */
export interface DataPlane {
  /** The configuration of the moment. */
  readonly view: () => View;
  readonly watchers: Watchers;
  readonly services: Services;
  readonly clock: Clock;
  readonly limits?: Partial<ConnectionLimits>;
}

/** The same, what waits of all connections, and where those out of a tunnel go on: nowhere at a port that nobody listens on. */
export interface DoorPlane extends DataPlane {
  readonly backlog: Backlog;
  readonly enterAt: (port: number) => Enter | undefined;
}

export interface ConnectionLimits {
  /** Milliseconds for a complete request head. */
  readonly headTimeout: number;
  /** Milliseconds for a PROXY header, where a port has one. */
  readonly proxyHeaderTimeout: number;
  /** FRONT-022: milliseconds an idle connection is kept where http1IdleTimeout does not say it. */
  readonly idleTimeout: number;
  /** Milliseconds between two looks for connections whose time is over. */
  readonly checkInterval: number;
  /** Bytes of a request head. */
  readonly headSize: number;
  /** Milliseconds a client may be silent in the middle of a body that somebody waits for. docs/decisions/connection-limits.md */
  readonly bodyIdleTimeout: number;
  /** Connections of one data port. docs/decisions/connection-limits.md */
  readonly mostConnections: number;
}

export const LIMITS: ConnectionLimits = {
  headTimeout: 15_000,
  proxyHeaderTimeout: 5000,
  idleTimeout: 600_000,
  checkInterval: 5000,
  headSize: 64 * 1024,
  bodyIdleTimeout: 60_000,
  mostConnections: 10_000,
};
