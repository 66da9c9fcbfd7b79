import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ask } from '../canary.ts';
import { startChild, type Child } from '../child.ts';
import { directoryDelivery, fileDelivery, httpDelivery, type Reload } from '../delivery.ts';
import { canonicalPolicy, loadDialect, type Dialect } from '../dialect.ts';
import { parseDuration } from '../duration.ts';
import { connectCluster, type Cluster } from '../kubernetes/cluster.ts';
import { fillPlaceholders, type Manifest } from '../manifest.ts';
import { createLogMark } from '../log-mark.ts';
import { adapterDelivery, operationsOf } from '../operations.ts';
import { startPlatform, type Platform } from '../platform.ts';
import { freePort } from '../ports.ts';
import { ImplementationFault, type Delivered, type Delivery, type Endpoint, type Session } from '../session.ts';
import {
  endpointOf,
  featuresOf,
  lastWords,
  logFileOf,
  metricsUrl,
  placeholderValues,
  requireFree,
  startManifestAdapter,
} from '../start-parts.ts';
import { makeTempFolder, placeOfDeliveries } from '../temp-folder.ts';
import type { AdapterClient } from '../adapter-client.ts';
import { fairNow, withinFair } from '../time/fair-time.ts';
import { makeFolder } from '../../values/make-folder.ts';

type ProcessRun = Extract<Manifest['run'], { readonly kind: 'process' }>;

/** Starts the implementation as a process of its own group, with a fresh folder and free ports. Throws ImplementationFault. */
export async function startProcessSession(manifest: Manifest, run: ProcessRun): Promise<Session> {
  const dir = await makeTempFolder('', await placeOfDeliveries());
  const platform = await startPlatform(dir);
  try {
    return await startIn({ dir, platform }, manifest, run);
  } catch (error) {
    await leave({ dir, platform });
    throw error;
  }
}

/** What the program finds around it. */
interface Surroundings {
  readonly dir: string;
  readonly platform: Platform;
}

async function leave({ dir, platform }: Surroundings): Promise<void> {
  await Promise.all([platform.stop(), rm(dir, { recursive: true, force: true })]);
}

async function startIn(around: Surroundings, manifest: Manifest, run: ProcessRun): Promise<Session> {
  const { dir, platform } = around;
  const ports = { data: manifest.dataPort ?? (await freePort()), admin: await freePort(), stats: await freePort() };
  const values = placeholderValues(manifest, dir, ports);
  const fill = (text: string): string => fillPlaceholders(text, values, manifest.file);
  const environment = { ...values, platform: platform.address, platformToken: platform.tokenFile };
  const fillEnv = (text: string): string => fillPlaceholders(text, environment, manifest.file);
  const endpoints = { ...endpointsOf(manifest, ports, fill), metrics: metricsUrl(manifest, values) };
  await requireFree(endpoints.data, 'data');
  await requireFree(endpoints.admin, 'admin');

  await makePlace(run, fill);
  const command = run.command.map(fill);
  const start = (): Child =>
    startChild(command, { cwd: manifest.folder, env: { ...fillAll(run.env, fillEnv), ...manifest.extraEnv } });
  const life = createLife(start, run);
  let adapter: AdapterClient | undefined;
  const stop = async (): Promise<void> => {
    await Promise.all([life.stop(), adapter?.stop()]);
    await leave(around);
  };
  try {
    // The adapter and the program start side by side: the first verdict is to come soon.
    [adapter] = await Promise.all([
      startManifestAdapter(manifest, values, run.config.deliver === 'adapter'),
      life.ready(endpoints),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  const dialect = loadDialect(manifest.dialect, manifest.folder);
  const byAdapter = operationsOf(adapter, dialect);
  const cluster = await clusterOf(run, manifest, dialect, fill).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    implementation: manifest.implementation,
    endpoints,
    features: featuresOf(manifest, adapter),
    ops: [...new Set([...(adapter?.hello.ops ?? []), ...(cluster?.ops ?? [])])],
    unspecified: { ...adapter?.hello.unspecified, ...manifest.unspecified },
    deliver:
      cluster?.deliver ??
      deliveryOf(
        run,
        fill(run.config.path ?? '{{dir}}'),
        { dialect, adapter },
        {
          how: run.config.reload,
          signal: life.signal,
          restart: async () => life.restart(endpoints),
          endpoint: endpoints.admin,
        },
      ),
    op: async (name, input, caseId) =>
      cluster?.ops.includes(name) === true ? cluster.op(name, input) : byAdapter(name, input, caseId),
    canonicalPolicy: (policy, phase) => canonicalPolicy(policy, phase, dialect),
    crashed: life.crashed,
    gone: life.gone,
    logs: life.logs,
    markLogs: createLogMark(life, logFileOf(manifest, values)),
    asDelivered: cluster?.asDelivered ?? dialect.toImplementation,
    restart: async () => life.restart(endpoints),
    stop,
  };
}

/** The API server of the implementation, once it answers; undefined where configuration goes another way. */
async function clusterOf(
  { config, ready }: ProcessRun,
  manifest: Manifest,
  dialect: Dialect,
  fill: (text: string) => string,
): Promise<Cluster | undefined> {
  if (config.deliver !== 'kubernetes') return undefined;
  const choice = config.server === undefined ? config : { ...config, server: fill(config.server) };
  return connectCluster(choice, manifest, dialect, parseDuration(ready.within) ?? 10_000);
}

interface Life {
  readonly ready: (endpoints: { readonly data: Endpoint }) => Promise<void>;
  readonly restart: (endpoints: { readonly data: Endpoint }) => Promise<void>;
  readonly crashed: () => string | undefined;
  readonly gone: (limitMs: number) => Promise<string | undefined>;
  readonly logs: () => readonly string[];
  readonly logged: () => number;
  readonly signal: (name: string) => void;
  readonly stop: () => Promise<void>;
}

/** The program and those that took its place after a crash. */
function createLife(start: () => Child, run: ProcessRun): Life {
  let child = start();
  let earlier: readonly string[] = [];
  let earlierCount = 0;
  let stopping = false;
  const stopLimit = parseDuration(run.stop.within) ?? 5000;
  const stopSignal = signalName(run.stop.signal);
  const logs = (): readonly string[] => [...earlier, ...child.logs()].slice(-200);
  const crashed = (): string | undefined =>
    stopping || child.end() === undefined
      ? undefined
      : `the implementation ${child.end() ?? ''}${lastWords(child.logs())}`;
  const ready: Life['ready'] = async (endpoints) => awaitReady(child, run, endpoints);
  return {
    ready,
    restart: async (endpoints) => {
      await child.stop(stopSignal, stopLimit);
      earlier = [...logs(), '--- restarted ---'];
      earlierCount += child.logged() + 1;
      child = start();
      await ready(endpoints);
    },
    crashed,
    gone: async (limitMs) => {
      await withinFair([child.ended], limitMs);
      return crashed();
    },
    logs,
    logged: () => earlierCount + child.logged(),
    signal: (name) => child.signal(signalName(name)),
    stop: async () => {
      stopping = true;
      await child.stop(stopSignal, stopLimit);
    },
  };
}

async function awaitReady(child: Child, run: ProcessRun, endpoints: { readonly data: Endpoint }): Promise<void> {
  const limitMs = parseDuration(run.ready.within) ?? 10_000;
  if (run.ready.line !== undefined) await awaitLine(child, new RegExp(run.ready.line), limitMs);
  if (run.ready.http !== undefined)
    await awaitHttp(child, endpoints.data, run.ready.http.slice('GET '.length), limitMs);
}

async function awaitLine(child: Child, pattern: RegExp, limitMs: number): Promise<void> {
  let isSeen = false;
  const seen = new Promise<void>((resolve) => {
    child.onLine((line) => {
      isSeen ||= pattern.test(line);
      if (isSeen) resolve();
    });
  });
  await withinFair([seen, child.ended], limitMs);
  if (isSeen) return;
  const why = child.end() ?? `printed no line like /${pattern.source}/ within ${limitMs} ms`;
  throw new ImplementationFault(`the implementation ${why}${lastWords(child.logs())}`);
}

async function awaitHttp(child: Child, data: Endpoint, target: string, limitMs: number): Promise<void> {
  const deadline = fairNow() + limitMs;
  while (fairNow() < deadline && child.end() === undefined) {
    if ((await ask(data, target, deadline - fairNow(), data.host)) !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const why = child.end() ?? `did not answer GET ${target} within ${limitMs} ms`;
  throw new ImplementationFault(`the implementation ${why}${lastWords(child.logs())}`);
}

/** The folder that the configuration goes to, so that a program which watches it finds it there. Throws ImplementationFault. */
async function makePlace({ config }: ProcessRun, fill: (text: string) => string): Promise<void> {
  if (config.path === undefined || (config.deliver !== 'directory' && config.deliver !== 'file')) return;
  const place = fill(config.path);
  await makeFolder(config.deliver === 'directory' ? place : path.dirname(place)).catch((error: unknown) => {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ImplementationFault(`run.config.path ${place}: its folder cannot be made (${why})`);
  });
}

function deliveryOf(
  run: ProcessRun,
  target: string,
  { dialect, adapter }: { readonly dialect: Dialect; readonly adapter: AdapterClient | undefined },
  reload: Reload,
): (delivery: Delivery) => Promise<Delivered> {
  if (run.config.deliver === 'adapter' && adapter !== undefined) return adapterDelivery(adapter, dialect);
  if (run.config.deliver === 'file')
    return run.config.path === undefined ? httpDelivery(dialect, reload) : fileDelivery(target, dialect, reload);
  return directoryDelivery(target, dialect, reload);
}

function endpointsOf(
  manifest: Manifest,
  ports: { readonly data: number; readonly admin: number },
  fill: (text: string) => string,
): { readonly data: Endpoint; readonly admin: Endpoint } {
  const { data, admin } = manifest.endpoints ?? {};
  return {
    data: data === undefined ? { host: '127.0.0.1', port: ports.data } : endpointOf(fill(data), manifest.file),
    admin: admin === undefined ? { host: '127.0.0.1', port: ports.admin } : endpointOf(fill(admin), manifest.file),
  };
}

function fillAll(
  env: Readonly<Record<string, string>> | undefined,
  fill: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, fill(value)]));
}

function signalName(name: string): NodeJS.Signals {
  const full = name.startsWith('SIG') ? name : `SIG${name}`;
  return isSignal(full) ? full : 'SIGTERM';
}

function isSignal(name: string): name is NodeJS.Signals {
  return ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGQUIT', 'SIGKILL'].includes(name);
}
