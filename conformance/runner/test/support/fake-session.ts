import { createServer, type Server } from 'node:http';
import type { Delivery, Delivered, Resource, Session } from '../../sut/session.ts';

/** How the fake implementation treats a delivery. */
export interface FakeBehaviour {
  /** What it refuses in words. */
  readonly refuse?: (delivery: Delivery) => Delivered | undefined;
  /** What it silently does not take over. */
  readonly ignore?: (resources: readonly Resource[]) => boolean;
  /** Answer of `op validate`; without it there is no such operation. */
  readonly accepts?: (resource: unknown) => boolean;
  /** Whether an old worker takes the n-th question, counted from 0. */
  readonly oldWorker?: (question: number) => boolean;
  readonly crashed?: () => string | undefined;
}

/** A session in this process whose data endpoint answers the canary as a proxy would. */
export interface FakeSession {
  readonly session: Session;
  readonly deliveries: readonly Delivery[];
  readonly close: () => Promise<void>;
}

/** Starts a fake whose canary route leads to answers of the form `TOKEN rev-N`. */
export async function startFakeSession(token: () => string, behaviour: FakeBehaviour = {}): Promise<FakeSession> {
  const deliveries: Delivery[] = [];
  let live = 0;
  let before = 0;
  let questions = 0;
  const server = createServer((incoming, answer) => {
    const revision = behaviour.oldWorker?.(questions++) === true ? before : live;
    if ([`/rev-${revision}`, '/revision'].includes(incoming.url ?? '')) answer.end(`${token()} rev-${revision}`);
    else answer.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const deliver = async (delivery: Delivery): Promise<Delivered> => {
    deliveries.push(delivery);
    const refused = behaviour.refuse?.(delivery);
    if (refused !== undefined) return refused;
    if (behaviour.ignore?.([...delivery.files.values()].flat()) !== true) [before, live] = [live, delivery.revision];
    return { kind: 'delivered' };
  };
  const session: Session = {
    implementation: { name: 'fake' },
    endpoints: { data: { host: '127.0.0.1', port: portOf(server) } },
    features: {},
    ops: behaviour.accepts === undefined ? [] : ['validate'],
    unspecified: {},
    deliver,
    op: async (_, input) => {
      const resource = typeof input === 'object' && input !== null && 'resource' in input ? input.resource : undefined;
      const accepted = behaviour.accepts?.(resource) ?? true;
      return { kind: 'result', result: { accepted, violations: accepted ? [] : [{ path: 'spec', message: 'wrong' }] } };
    },
    canonicalPolicy: (policy) => policy,
    crashed: () => behaviour.crashed?.(),
    gone: async () => behaviour.crashed?.(),
    logs: () => [],
    markLogs: () => () => [],
    asDelivered: (resource) => resource,
    restart: async () => undefined,
    stop: async () => undefined,
  };
  return {
    session,
    deliveries,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
