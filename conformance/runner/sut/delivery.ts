import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { CANARY_NAMESPACE } from './canary.ts';
import type { Dialect } from './dialect.ts';
import type { Delivered, Delivery, Endpoint, Resource } from './session.ts';
import { withLimit } from './time/fair-time.ts';

/** How a changed configuration is made known, after it has been written. */
export interface Reload {
  readonly how: 'watch' | 'restart' | { readonly signal: string } | { readonly http: string };
  readonly signal: (name: string) => void;
  readonly restart: () => Promise<void>;
  readonly endpoint: Endpoint;
}

/** Writes one file per case, under the name of its first namespace, into a directory, the canary last, and reloads. */
export function directoryDelivery(
  folder: string,
  dialect: Dialect,
  reload: Reload,
): (delivery: Delivery) => Promise<Delivered> {
  return async (delivery) =>
    reportFailure(async () => {
      const names = delivery.changed.toSorted(
        (one, other) => Number(one === CANARY_NAMESPACE) - Number(other === CANARY_NAMESPACE),
      );
      const cases = names.filter((name) => name !== CANARY_NAMESPACE);
      for (const name of cases) writeNamespace(folder, name, delivery.files.get(name), dialect);
      if (names.includes(CANARY_NAMESPACE))
        writeNamespace(folder, CANARY_NAMESPACE, delivery.files.get(CANARY_NAMESPACE), dialect);
      await announce(reload, everything(delivery, dialect));
    });
}

/** Writes everything into one file and reloads. */
export function fileDelivery(
  file: string,
  dialect: Dialect,
  reload: Reload,
): (delivery: Delivery) => Promise<Delivered> {
  return async (delivery) =>
    reportFailure(async () => {
      const text = everything(delivery, dialect);
      replaceFile(file, text);
      await announce(reload, text);
    });
}

/** Sends everything over HTTP, to an implementation that has no file to write to. */
export function httpDelivery(dialect: Dialect, reload: Reload): (delivery: Delivery) => Promise<Delivered> {
  return async (delivery) => reportFailure(async () => announce(reload, everything(delivery, dialect)));
}

/** The resources of a delivery in one list, canary last. */
export function allResources(delivery: Delivery, dialect: Dialect): readonly unknown[] {
  return [...delivery.files.values()].flat().map((resource) => dialect.toImplementation(resource));
}

function writeNamespace(
  folder: string,
  name: string,
  resources: readonly Resource[] | undefined,
  dialect: Dialect,
): void {
  const file = path.join(folder, `${name}.yaml`);
  if (resources === undefined) return rmSync(file, { force: true });
  replaceFile(file, documents(resources.map((resource) => dialect.toImplementation(resource))));
}

// The reader must never see half a file: it appears under its name complete, or not at all. Small files, one for each case: four trips
// to a thread of the pool cost more than the writing.
function replaceFile(file: string, text: string): void {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.draft`);
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

// JSON is YAML; one document per resource.
function documents(resources: readonly unknown[]): string {
  return resources.map((resource) => `---\n${JSON.stringify(resource)}\n`).join('');
}

function everything(delivery: Delivery, dialect: Dialect): string {
  return documents(allResources(delivery, dialect));
}

async function announce(reload: Reload, text: string): Promise<void> {
  const { how } = reload;
  if (how === 'watch') return;
  if (how === 'restart') return reload.restart();
  if ('signal' in how) return reload.signal(how.signal);
  const [method = 'PUT', target = '/'] = how.http.split(' ');
  await send(reload.endpoint, method, target, text);
}

const SEND_LIMIT_MS = 10_000;

async function send(endpoint: Endpoint, method: string, target: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/yaml', 'content-length': Buffer.byteLength(body) };
  const options = { ...endpoint, method, path: target, headers, agent: false };
  const exchange = async (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const call = request({ ...options, signal }, (answer) => {
        answer.resume();
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) resolve();
        else reject(new Error(`${method} ${target} was answered with ${status}`));
      });
      call.once('error', reject);
      call.end(body);
    });
  await withLimit(SEND_LIMIT_MS, exchange);
}

async function reportFailure(work: () => Promise<void>): Promise<Delivered> {
  try {
    await work();
    return { kind: 'delivered' };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
