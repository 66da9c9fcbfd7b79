import type { Server } from 'node:net';
import type { View } from '../attachment/view.ts';
import { createBacklog } from './backlog.ts';
import { createFrontDoor, type FrontDoor } from './front-door.ts';
import type { DataPlane } from './data-plane.ts';
import type { Enter } from './inner-connection.ts';

/** The data sockets of the configuration in force. */
export interface Listeners {
  /**
   * Opens the ports that are new and closes the ones that are gone; the others are not touched. Resolves when every
   * new port accepts, or was found to be taken.
   */
  readonly reconcile: (view: View) => Promise<void>;
  /** Ports that accept connections, in ascending order. */
  readonly ports: () => readonly number[];
  /** Why ports of the configuration do not, one sentence each. */
  readonly failures: () => readonly string[];
  /** Accepts no more; resolves when the requests under way are answered, or cut off after `patience` milliseconds. */
  readonly close: (patience: number) => Promise<void>;
}

/** `address` is where the ports are bound. A port that is taken is tried again with every new configuration. */
export function createListeners(address: string, plane: DataPlane): Listeners {
  const open = new Map<number, FrontDoor>();
  /** Those of ports that are gone, with requests still under way. */
  const closing = new Set<FrontDoor>();
  const failures = new Map<number, string>();
  const backlog = createBacklog();
  const { log } = plane.services;

  const enterAt = (port: number): Enter | undefined => open.get(port)?.enter;

  const openPort = async (port: number): Promise<void> => {
    const door = createFrontDoor(port, { ...plane, backlog, enterAt });
    open.set(port, door);
    const failure = await listen(door.server, port, address);
    failures.delete(port);
    if (failure === undefined) {
      log.info('listening', { address, port });
      return;
    }
    open.delete(port);
    const why = explain(failure, port);
    failures.set(port, why);
    log.error('cannot listen', { address, port, error: why });
  };

  const closePort = (port: number, door: FrontDoor): void => {
    open.delete(port);
    closing.add(door);
    door.server.once('close', () => closing.delete(door));
    log.info('closing', { address, port });
    door.drain();
  };

  let reconciled: Promise<void> = Promise.resolve();
  const reconcile = async ({ binds }: View): Promise<void> => {
    for (const [port, door] of open) if (!binds.has(port)) closePort(port, door);
    for (const port of failures.keys()) if (!binds.has(port)) failures.delete(port);
    await Promise.all([...binds.keys()].filter((port) => !open.has(port)).map(openPort));
  };

  return {
    reconcile: (view) => (reconciled = reconciled.then(() => reconcile(view))),
    ports: () => [...open].flatMap(([port, { server }]) => (server.listening ? [port] : [])).toSorted((a, b) => a - b),
    failures: () => [...failures.values()],
    close: async (patience) => {
      const doors = [...open.values()];
      open.clear();
      const over = [...closing, ...doors].map((door) => closeWithin(door, patience, plane));
      for (const door of doors) door.drain();
      await Promise.all(over);
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ port, host }, () => {
      server.off('error', resolve);
      server.on('error', () => {
        // A failed accept concerns one connection, which is already gone.
      });
      resolve(undefined);
    });
  });
}

function explain(failure: NodeJS.ErrnoException, port: number): string {
  if (failure.code === 'EADDRINUSE') return `port ${port} is in use by another program`;
  if (failure.code === 'EACCES') return `port ${port} needs privileges this process does not have`;
  return failure.message;
}

function closeWithin(door: FrontDoor, patience: number, { clock }: DataPlane): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(patience, door.cut);
    door.server.once('close', () => {
      stop();
      resolve();
    });
  });
}
