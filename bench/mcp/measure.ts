// Calls of MCP tools through the reference, to one target and to one of ten, beside the same server asked directly.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Load, Measured } from '../ai/load.ts';
import { freePort } from '../../conformance/runner/sut/ports.ts';
import { inspectHeap } from '../soak/heap.ts';
import { callOf, HEADERS, openSession } from './client.ts';
import { ROUTES, writeMcpConfiguration } from './configuration.ts';

export interface McpBench {
  readonly folder: string;
  readonly rounds: number;
  readonly roundMs: number;
  readonly say: (text: string) => void;
}

interface Contender {
  readonly name: Name;
  readonly url: string;
  readonly tool: string;
}

type Name = 'direct' | 'one' | 'ten';

/** The numbers of bench/README.md that begin with `mcp.`. */
export async function measureMcp({ folder, rounds, roundMs, say }: McpBench): Promise<Record<string, number>> {
  const children: ChildProcess[] = [];
  try {
    const server = await freePort();
    const port = await freePort();
    const serverInspector = await start(children, ['bench/contenders/mcp-server.ts', String(server)]);
    writeMcpConfiguration(path.join(folder, 'mcp'), port, server);
    const rest = ['serve', '--config', path.join(folder, 'mcp'), '--admin-port', String(await freePort())];
    const referenceInspector = await start(children, ['bin/refproxy.mjs', ...rest]);
    const contenders: Contender[] = [
      { name: 'direct', url: `http://127.0.0.1:${server}/mcp`, tool: 'say' },
      ...(['one', 'ten'] as const).map((name) => ({
        name,
        url: `http://127.0.0.1:${port}${ROUTES[name].path}`,
        tool: ROUTES[name].tool,
      })),
    ];
    const calls = await inRounds(contenders, rounds, (one) => load(one, 32, roundMs), say);
    const alone = await inRounds(contenders, rounds, (one) => load(one, 1, roundMs), say);
    return {
      'mcp.callsPerSecond': Math.round(calls.one.rate),
      'mcp.callRatio': round(calls.one.rate / calls.direct.rate),
      'mcp.callRatio10': round(calls.ten.rate / calls.direct.rate),
      'mcp.addedP50Ms': round(alone.one.p50 - alone.direct.p50),
      'mcp.addedP99Ms': round(alone.one.p99 - alone.direct.p99),
      'mcp.addedP50Ms10': round(alone.ten.p50 - alone.direct.p50),
      'mcp.addedP99Ms10': round(alone.ten.p99 - alone.direct.p99),
      ...(await initializing(contenders, rounds, say)),
      ...(await idling(contenders, [serverInspector, referenceInspector], say)),
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Starts a program that says that it is ready, and resolves to the address of its inspector. */
async function start(children: ChildProcess[], argv: readonly string[]): Promise<string> {
  const child = spawn('node', ['--inspect=127.0.0.1:0', ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let inspector = '';
  const ready = Promise.withResolvers<void>();
  child.once('exit', () => ready.reject(new Error(`${argv.join(' ')} does not start`)));
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      inspector = /ws:\/\/\S+/.exec(line)?.[0] ?? inspector;
      if (/\bready\b/.test(line)) ready.resolve();
    });
  }
  await ready.promise;
  return inspector;
}

/** Each connection has a session of its own, as each client has. */
async function load({ url, tool }: Contender, connections: number, milliseconds: number): Promise<Measured> {
  const sessions = await Promise.all(Array.from({ length: connections }, async () => openSession(url)));
  const { port, pathname } = new URL(url);
  const asked: Load = {
    port: Number(port),
    path: pathname,
    headers: HEADERS,
    headersOfEach: sessions.map((id) => ({ 'mcp-session-id': id })),
    body: callOf(tool),
    connections,
    milliseconds,
  };
  const script = path.join(import.meta.dirname, '../ai/load.ts');
  const { status, stdout, stderr } = spawnSync('node', [script], { input: JSON.stringify(asked), encoding: 'utf8' });
  if (status !== 0) throw new Error(`the load against ${url} failed: ${stderr}`);
  const measured = JSON.parse(stdout) as Measured;
  if (measured.failed > 0) throw new Error(`${measured.failed} answers of ${url} were not 200`);
  return measured;
}

/**
 * Measures contenders in turn, several times; the first time counts for nothing. The fastest stands for all: what else the
 * machine does can only make one slower.
 */
async function inRounds(
  contenders: readonly Contender[],
  rounds: number,
  measure: (one: Contender) => Promise<Measured>,
  say: (text: string) => void,
): Promise<Record<Name, Measured>> {
  const all: Record<Name, Measured[]> = { direct: [], one: [], ten: [] };
  for (let turn = 0; turn <= rounds; turn += 1) {
    for (const contender of contenders) {
      const measured = await measure(contender);
      if (turn > 0) all[contender.name].push(measured);
    }
  }
  const best = { direct: fastest(all.direct), one: fastest(all.one), ten: fastest(all.ten) };
  for (const [name, { rate, p50, p99 }] of Object.entries(best))
    say(`tools/call, ${name}: ${Math.round(rate)}/s, p50 ${round(p50)} ms, p99 ${round(p99)} ms`);
  return best;
}

function fastest(several: readonly Measured[]): Measured {
  const [best] = several.toSorted((one, other) => other.rate - one.rate);
  if (best === undefined) throw new Error('nothing was measured');
  return best;
}

const SESSIONS_OF_A_ROUND = 50;

/** Sessions with ten targets, one after the other, and beside them ten sessions at once with the server itself. */
async function initializing(
  contenders: readonly Contender[],
  rounds: number,
  say: (text: string) => void,
): Promise<Record<string, number>> {
  const [direct, , ten] = contenders.map(({ url }) => url);
  const times: Record<'direct' | 'ten', number[]> = { direct: [], ten: [] };
  for (let turn = 0; turn <= rounds * SESSIONS_OF_A_ROUND; turn += 1) {
    const itself = await timeOf(() => Promise.all(Array.from({ length: 10 }, async () => openSession(direct ?? ''))));
    const through = await timeOf(() => openSession(ten ?? ''));
    if (turn === 0) continue;
    times.direct.push(itself);
    times.ten.push(through);
  }
  const [through, itself] = [middleOf(times.ten), middleOf(times.direct)];
  say(
    `a session with ten targets: ${round(through)} ms, ten sessions at once with the server itself ${round(itself)} ms`,
  );
  return { 'mcp.initialize10Ms': round(through), 'mcp.initialize10Ratio': round(through / itself) };
}

/** Milliseconds. */
async function timeOf(does: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await does();
  return performance.now() - began;
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const IDLE_SESSIONS = 10_000;
const ABREAST = 50;

/** Heap that a session takes in either process when nobody says anything in it. */
async function idling(
  contenders: readonly Contender[],
  inspectors: readonly string[],
  say: (text: string) => void,
): Promise<Record<string, number>> {
  const url = contenders.find(({ name }) => name === 'one')?.url ?? '';
  const heaps = await Promise.all(inspectors.map(inspectHeap));
  const before = await Promise.all(heaps.map(async (heap) => heap.used()));
  for (let opened = 0; opened < IDLE_SESSIONS; opened += ABREAST)
    await Promise.all(Array.from({ length: ABREAST }, async () => openSession(url)));
  const after = await Promise.all(heaps.map(async (heap) => heap.used()));
  for (const heap of heaps) heap.close();
  const [server = Number.NaN, reference = Number.NaN] = after.map((used, index) =>
    Math.round((used - (before[index] ?? Number.NaN)) / IDLE_SESSIONS),
  );
  say(`an idle session takes ${reference} bytes of the reference and ${server} of the server`);
  return { 'mcp.bytesPerIdleSession': reference, 'mcp.idleSessionRatio': round(reference / server) };
}

function round(number: number): number {
  return Math.round(number * 1000) / 1000;
}
