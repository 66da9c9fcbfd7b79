import { followObjects } from '../../admin/resource-api/known-objects.ts';
import { createResourceApi } from '../../admin/resource-api/resource-api.ts';
import { createAdminServer } from '../../admin/server.ts';
import { buildView, type View } from '../../attachment/view.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { createLog, errorFields, type Log, type LogLevel } from '../../base/log.ts';
import { compileView } from '../../pipeline/compile-view.ts';
import { createListeners } from '../../server/listeners.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { createApiSource } from '../../store/sources/api.ts';
import { createStore, type Store } from '../../store/store.ts';
import { createWatchers } from '../../trace/watchers.ts';
import type { LogFormat } from '../../telemetry/log-formats.ts';
import { startConfiguration, type Configuration } from './configuration.ts';
import { createServices } from './create-services.ts';

export interface ServeOptions {
  readonly config?: string;
  readonly adminPort: number;
  readonly listenAddress: string;
  readonly logLevel: LogLevel;
  /** Of the stats listener; without it nothing is counted. */
  readonly statsPort?: number;
  readonly accessLogFormat: LogFormat;
  /** Milliseconds the requests under way have to end after the signal to stop. */
  readonly drain: number;
  /** Milliseconds a client may be silent in the middle of a body. */
  readonly bodyIdle: number;
  /** Of one data port. */
  readonly maxConnections: number;
}

/**
 * Runs the proxy until SIGTERM or SIGINT. Resolves to the exit code; what happens is logged on stderr. A port that is taken at the
 * start ends it: nobody would notice that it does not serve what it says. One that is taken later is tried again with every change.
 */
export async function runServe(options: ServeOptions): Promise<number> {
  const { config, adminPort, listenAddress, logLevel, drain, bodyIdle, maxConnections } = options;
  const clock = systemClock;
  const log = createLog((line) => process.stderr.write(line), clock, logLevel);
  logWhatNobodyCaught(log);

  const store = createStore(clock);
  const view = followView(store, clock, log);
  const watchers = createWatchers({ clock, view: view.current });
  const { services, stats, flush } = createServices(options, { store, view: view.current, clock, log });
  const limits = { bodyIdleTimeout: bodyIdle, mostConnections: maxConnections };
  const listeners = createListeners(listenAddress, { view: view.current, watchers, services, clock, limits });

  let starting = true;
  let reconciled: Promise<void> = Promise.resolve();
  const objects = followObjects({ view: view.current, snapshot: store.snapshot, onChange: view.onChange, clock });
  const resourceApi = createResourceApi(
    { objects, source: createApiSource(store), live: () => reconciled, clock },
    log.warn,
  );
  const admin = createAdminServer({
    view: view.current,
    snapshot: store.snapshot,
    watchers,
    clock,
    log: log.warn,
    pending: () => (starting ? ['configuration'] : []),
    objects,
    data: { address: listenAddress, ports: listeners.ports },
    resourceApi,
  });

  let configuration: Configuration | undefined;
  try {
    const boundAdminPort = await admin.listen(adminPort);
    await stats?.listen(listenAddress);
    configuration = startConfiguration(config, store, clock, log);
    await listeners.reconcile(view.current());
    const failures = listeners.failures();
    if (failures.length > 0) throw new Error(`data ${failures.join('; data ')}`);
    view.onChange((next) => {
      // Failures to listen are logged where they happen; there are no others.
      reconciled = listeners.reconcile(next);
    });
    starting = false;
    // Whoever reads that it is ready may send a signal at once.
    const stopped = stopSignal(log);
    const data = listeners.ports().join(', ') || 'no port';
    process.stderr.write(`refproxy ready: admin 127.0.0.1:${boundAdminPort}, data ${data}\n`);

    const signal = await stopped;
    log.info('stopping', { signal });
    configuration.close();
    await listeners.close(drain);
    await flush();
    return 0;
  } catch (error) {
    process.stderr.write(`error: ${startFailure(error, adminPort)}\n`);
    await listeners.close(0);
    return 1;
  } finally {
    configuration?.close();
    services.grpc.close();
    await Promise.all([admin.close(), stats?.close(), services.http.close()]);
  }
}

/** The view of the latest snapshot, resolved and compiled when the snapshot comes. */
function followView(store: Store, clock: Clock, log: Log): FollowedView {
  let view = compiledView(store.snapshot());
  const listeners = new Set<(view: View) => void>();
  store.subscribe((snapshot) => {
    const startedAt = clock.monotonic();
    view = compiledView(snapshot);
    log.info('configuration', {
      generation: snapshot.generation,
      resources: snapshot.resources.size,
      milliseconds: Math.round(clock.monotonic() - startedAt),
    });
    for (const listener of listeners) listener(view);
  });
  return {
    current: () => view,
    onChange: (listener) => {
      listeners.add(listener);
    },
  };
}

interface FollowedView {
  readonly current: () => View;
  readonly onChange: (listener: (view: View) => void) => void;
}

function compiledView(snapshot: Snapshot): View {
  const view = buildView(snapshot);
  compileView(view);
  return view;
}

function stopSignal(log: Log): Promise<string> {
  // What many programs take for the wish to read their configuration again, and what a terminal says when it is closed.
  process.on('SIGHUP', () => {
    log.info('SIGHUP changes nothing: the configuration is followed as it changes');
  });
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => {
        resolve(signal);
      });
  });
}

/** A bug must not take the other requests down, and must not be silent. */
function logWhatNobodyCaught(log: Log): void {
  // The proxy outlives whoever read its log. A failed line would be logged, and that line would fail.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception', errorFields(error));
  });
  process.on('unhandledRejection', (reason) => {
    log.error('unhandled rejection', errorFields(reason));
  });
}

function startFailure(error: unknown, adminPort: number): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE') return `admin port ${adminPort} is in use by another program`;
  return error.message;
}
