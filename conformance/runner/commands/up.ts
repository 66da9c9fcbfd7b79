import type { Command } from 'commander';
import { EVERYTHING, matchesId } from '../case/select.ts';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { overHttp2 } from '../case/over-http2.ts';
import { loadRunnable } from '../load-suite.ts';
import { hasChoosablePort, outsideNow } from '../schedule/outside.ts';
import { peerLines, prepareCases, releaseCase, type PreparedCase } from '../schedule/prepare-case.ts';
import { startInstance } from '../sut/instance.ts';
import { runIn } from '../sut/kubernetes/cluster.ts';
import { loadManifest, type Manifest } from '../sut/manifest.ts';
import { UsageFault } from '../sut/session.ts';
import { reportFault } from './fault.ts';
import { interruptSignal } from './interrupt.ts';
import { portNumber } from './options.ts';
import { defaultManifest } from './run.ts';

interface UpFlags {
  readonly impl?: string;
  readonly cases?: string;
  readonly port?: number;
  readonly http2?: true;
}

/** Adds `conform up CASE`: everything of one case, running, for a person with a terminal. */
export function addUpCommand(program: Command): void {
  program
    .command('up')
    .description('start everything of a case and keep it running; prints curl commands for its http steps')
    .argument('<case>', 'id of a case')
    .option('--impl <file>', 'implementation.yaml of the implementation')
    .option('--cases <path>', 'folder of case files, or one of them, instead of those of this package')
    .option('--port <n>', 'port of the data endpoint; any free one when absent', portNumber)
    .option('--http2', 'the case as run --http2 has it: clients speak HTTP/2, and peers take both versions')
    .action(async (id: string, flags: UpFlags) => {
      process.exitCode = await up(id, flags);
    });
}

async function up(id: string, flags: UpFlags): Promise<number> {
  const stop = interruptSignal();
  try {
    const manifest = manifestFor(flags);
    const one = inVersion(findCase(id, await casesOf(id, flags, runIn(manifest))), flags);
    const instance = await startInstance(manifest);
    try {
      const [prepared] = await prepareCases([one], instance);
      if (prepared === undefined || 'error' in prepared) throw prepared?.error ?? new UsageFault('nothing to prepare');
      process.stdout.write(describe(prepared));
      const unfollow = followLedgers(prepared);
      await untilInterrupted(stop);
      unfollow();
      await releaseCase(prepared);
      return 0;
    } finally {
      await instance.stop();
    }
  } catch (error) {
    return reportFault(error);
  }
}

function manifestFor({ impl, port }: UpFlags): Manifest {
  const manifest = loadManifest(impl ?? defaultManifest());
  if (port === undefined) return manifest;
  if (!hasChoosablePort(manifest))
    throw new UsageFault(`${manifest.file}: endpoints.data is fixed, so --port cannot choose another port`);
  return { ...manifest, dataPort: port };
}

async function casesOf(id: string, { cases: folder }: UpFlags, run?: string): Promise<readonly ConcreteCase[]> {
  return (await loadRunnable({ folder, selection: { ...EVERYTHING, patterns: [id] }, run })).cases;
}

function findCase(id: string, cases: readonly ConcreteCase[]): ConcreteCase {
  const found = cases.filter((one) => one.id === id || matchesId(id, one));
  const [first] = found;
  if (first === undefined) throw new UsageFault(`no case ${id}`);
  if (found.length > 1 && first.id !== id)
    throw new UsageFault(`${id} names ${found.length} cases: ${found.map((one) => one.id).join(', ')}`);
  return first;
}

function inVersion(one: ConcreteCase, { http2 }: UpFlags): ConcreteCase {
  if (http2 !== true) return one;
  const over = overHttp2(one);
  if (over === undefined)
    throw new UsageFault(`${one.id} is not for --http2: it says its version itself, or is about HTTP/1.1`);
  return over;
}

function describe(prepared: PreparedCase): string {
  const { case: one, instance, peers } = prepared;
  const { data, admin } = instance.session.endpoints;
  const outcome =
    prepared.configured === undefined
      ? 'not handed over'
      : `${prepared.configured.outcome} ${prepared.configured.message ?? ''}`.trim();
  return [
    `${one.id}: ${one.title}`,
    `data   http://${data.host}:${data.port}  (Host: ${one.host})`,
    ...(admin === undefined ? [] : [`admin  http://${admin.host}:${admin.port}`]),
    ...peerLines(peers),
    `config ${outcome}`,
    ...outsideNow(prepared),
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}

function followLedgers({ peers }: PreparedCase): () => void {
  const ends = peers.names.map((name) => {
    const { ledger } = peers.get(name);
    let seen = 0;
    return ledger.onChange(() => {
      for (const entry of ledger.entries.slice(seen)) {
        if (!entry.settled) return;
        seen += 1;
        process.stdout.write(`${name} ${JSON.stringify(entry.view())}\n`);
      }
    });
  });
  return () => {
    for (const end of ends) end();
  };
}

async function untilInterrupted(stop: AbortSignal): Promise<void> {
  if (stop.aborted) return;
  await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
}
