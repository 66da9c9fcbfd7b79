import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { withoutRun } from '../schedule/execute-case.ts';
import { executePlan } from '../schedule/execute-plan.ts';
import { planRun } from '../schedule/plan.ts';
import { workersFor } from '../schedule/workers.ts';
import { startInstance } from '../sut/instance.ts';
import type { Manifest } from '../sut/manifest.ts';
import { ImplementationFault } from '../sut/session.ts';
import { preloading } from './broken-reference.ts';
import type { Sources } from './declarations.ts';

/** What was executed of each file: `start, end, start, end, …`, offsets in its text, ascending. */
export type Passed = ReadonlyMap<string, readonly number[]>;

/** A reference whose processes say what they execute (conformance/gallery/tell-passed.mjs). */
export interface TellingReference {
  /** Executed since the last call; undefined when a process was killed and took with it what it knew. Throws ImplementationFault. */
  readonly passed: () => Promise<Passed | undefined>;
  /** Runs one case and nothing beside it. Undefined for one that was not run. */
  readonly run: (one: ConcreteCase, stop: AbortSignal) => Promise<CaseResult | undefined>;
  readonly stop: () => Promise<void>;
}

/** Starts it; the folder is its own. Throws ImplementationFault. */
export async function startTelling(manifest: Manifest, root: string, folder: string): Promise<TellingReference> {
  const order = createOrders(folder);
  const instance = await startInstance({ ...patient(manifest), extraEnv: tellingEnv(root, folder) });
  return {
    passed: order,
    run: async (one, stop) => {
      let result: CaseResult | undefined;
      await executePlan(planRun([one], 1), {
        instance,
        workers: workersFor(manifest),
        known: () => undefined,
        property: async (drawn) => Promise.resolve(withoutRun(drawn, { skipped: 'random draws prove nothing here' })),
        stop,
        brief: true,
        report: (came) => {
          result = came;
        },
      });
      return result;
    },
    stop: () => instance.stop(),
  };
}

/** What counts is slow to start. */
function patient(manifest: Manifest): Manifest {
  const { run } = manifest;
  return run.kind === 'process' ? { ...manifest, run: { ...run, ready: { ...run.ready, within: '60s' } } } : manifest;
}

/** What loading the files of the reference executes, before anything is done with them. */
export async function passedByLoading({ texts }: Sources, root: string, folder: string): Promise<Passed> {
  const order = createOrders(folder);
  // The first file does not end before the program does, and pages want a browser.
  const files = [...texts.keys()].filter((file) => file !== 'reference-impl/main.ts');
  const urls = JSON.stringify(files.map((file) => pathToFileURL(path.join(root, file)).href));
  const code = `for (const url of ${urls}) await import(url).catch(() => {}); process.exit();`;
  const env = { ...process.env, ...tellingEnv(root, folder) };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { cwd: root, env });
  return (await order()) ?? new Map();
}

const SOURCES = 'reference-impl/';

/** V8 counts nothing within functions that come compiled out of a cache. */
function tellingEnv(root: string, folder: string): Record<string, string> {
  return {
    CONFORM_PASSED: JSON.stringify({ folder, sources: pathToFileURL(path.join(root, SOURCES)).href }),
    NODE_OPTIONS: preloading('tell-passed.mjs', root),
    NODE_DISABLE_COMPILE_CACHE: '1',
  };
}

/** Prepares the folder where orders are given and answered; each call is an order. */
function createOrders(folder: string): TellingReference['passed'] {
  for (const kind of ['orders', 'running', 'told']) mkdirSync(path.join(folder, kind), { recursive: true });
  const file = path.join(folder, 'orders/order.json');
  let turn = 0;
  const give = (): void => {
    turn += 1;
    writeFileSync(`${file}.new`, String(turn));
    renameSync(`${file}.new`, file);
  };
  give();
  return async () => {
    give();
    await answersTo(turn, folder);
    return readAnswers(folder);
  };
}

/** A case may leave a process with work to do. */
const DEAF_MS = 20_000;

/** Resolves when everybody who runs has answered or ended. Throws ImplementationFault for one that does neither. */
async function answersTo(turn: number, folder: string): Promise<void> {
  const asked = readdirSync(path.join(folder, 'running')).filter(isName);
  const told = path.join(folder, 'told');
  const isOwing = (id: string): boolean =>
    [turn, 'ended'].every((when) => !existsSync(path.join(told, `${when}-${id}.json`))) && isAlive(id);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = (): void => {
    if (!asked.some(isOwing)) resolve();
  };
  const watcher = watch(told, look);
  const deaf = new ImplementationFault('a process of the reference hears nothing any more');
  const timer = setTimeout(() => (asked.some(isOwing) ? reject(deaf) : resolve()), DEAF_MS);
  look();
  await promise.finally(() => {
    clearTimeout(timer);
    watcher.close();
  });
}

const answerSchema = z.record(z.string(), z.array(z.number()));

function readAnswers(folder: string): Passed | undefined {
  const passed = new Map<string, number[]>();
  const told = path.join(folder, 'told');
  const names = readdirSync(told).filter((name) => name.endsWith('.json'));
  for (const name of names) {
    const answer = answerSchema.parse(JSON.parse(readFileSync(path.join(told, name), 'utf8')));
    rmSync(path.join(told, name));
    for (const [file, places] of Object.entries(answer))
      passed.set(SOURCES + file, [...(passed.get(SOURCES + file) ?? []), ...places]);
  }
  const lost = readdirSync(path.join(folder, 'running')).filter((id) => isName(id) && !isAlive(id));
  for (const id of lost) rmSync(path.join(folder, 'running', id));
  if (lost.some((id) => !names.includes(`ended-${id}.json`))) return undefined;
  return new Map([...passed].map(([file, places]) => [file, merged(places)]));
}

/** Several processes have executed the same. */
function merged(places: readonly number[]): readonly number[] {
  const pairs = Array.from({ length: places.length / 2 }, (_, index) => places.slice(2 * index, 2 * index + 2));
  const joined: number[] = [];
  for (const [start = 0, end = 0] of pairs.toSorted(([one = 0], [other = 0]) => one - other)) {
    const last = joined.at(-1);
    if (last === undefined || last < start) joined.push(start, end);
    else joined[joined.length - 1] = Math.max(last, end);
  }
  return joined;
}

function isName(name: string): boolean {
  return /^\d+-\d+$/.test(name);
}

function isAlive(id: string): boolean {
  try {
    process.kill(Number(id.split('-')[0]), 0);
    return true;
  } catch {
    return false;
  }
}
