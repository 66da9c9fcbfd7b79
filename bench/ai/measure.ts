// Chat through the reference, beside the gateway of @portkey-ai/gateway and a bare relay, all to one provider that does no work.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../conformance/runner/sut/ports.ts';
import { writeAiConfiguration } from './configuration.ts';
import type { Load, Measured } from './load.ts';

export interface AiBench {
  readonly folder: string;
  readonly rounds: number;
  readonly roundMs: number;
  readonly say: (text: string) => void;
}

interface Contender {
  readonly name: Name;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Name = 'provider' | 'relay' | 'portkey' | 'reference';

/** The numbers of bench/README.md that begin with `ai.`; those of a gateway that does not start are left out, with the reason said. */
export async function measureAi({ folder, rounds, roundMs, say }: AiBench): Promise<Record<string, number>> {
  const children: ChildProcess[] = [];
  try {
    const contenders = await startAll(folder, children, say);
    const rounded = inRounds(contenders, rounds, say);
    const chat = rounded('documents', (one) => run({ ...loadOf(one, false), connections: 32, milliseconds: roundMs }));
    const streams = rounded('streams', (one) => run({ ...loadOf(one, true), connections: 32, milliseconds: roundMs }));
    const alone = rounded('one at a time', (one) =>
      run({ ...loadOf(one, false), connections: 1, milliseconds: roundMs }),
    );
    const aloneStreams = rounded('one stream at a time', (one) =>
      run({ ...loadOf(one, true), connections: 1, milliseconds: roundMs }),
    );
    const reference = contenders.find(({ name }) => name === 'reference');
    if (reference === undefined) throw new Error('the reference did not start');
    const thousand = inRounds(
      contenders.filter(({ name }) => name === 'relay' || name === 'reference'),
      Math.min(rounds, 2),
      say,
    )('a thousand streams', (one) => run(thousandStreams(one)));
    return {
      ...rates('ai.', chat),
      ...rates('ai.stream', streams),
      ...added('ai.added', alone),
      ...added('ai.streamAdded', aloneStreams),
      'ai.streamFirstAddedMs': round(first(aloneStreams, 'reference') - first(aloneStreams, 'provider')),
      'ai.tokensPerSecond': Math.round((value(thousand, 'reference')?.rate ?? Number.NaN) * TOKENS_OF_MANY),
      'ai.tokensRelayRatio': round(rate(thousand, 'reference') / rate(thousand, 'relay')),
      ...guardCost(reference, rounds, roundMs, say),
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

type Results = ReadonlyMap<Name, Measured>;

const TOKENS_OF_MANY = 100;
const KILOBYTES = 16;

async function startAll(folder: string, children: ChildProcess[], say: (text: string) => void): Promise<Contender[]> {
  const provider = await freePort();
  await start(children, 'llm.ts', provider);
  const [relay, portkey, port] = [await freePort(), await freePort(), await freePort()];
  await start(children, 'relay.ts', relay, provider, 1024);
  await startReference(children, path.join(folder, 'ai'), port, provider);
  const direct = { path: '/v1/chat/completions', headers: {} };
  const contenders: Contender[] = [
    { name: 'provider', port: provider, ...direct },
    { name: 'relay', port: relay, ...direct },
    { name: 'reference', port, path: '/plain/v1/chat/completions', headers: {} },
  ];
  const failure = await startPortkey(children, portkey);
  if (failure !== undefined) {
    say(`@portkey-ai/gateway is left out: ${failure}`);
    return contenders;
  }
  const headers = {
    authorization: 'Bearer key',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${provider}/v1`,
  };
  return [...contenders, { name: 'portkey', port: portkey, path: direct.path, headers }];
}

async function start(children: ChildProcess[], script: string, ...given: readonly number[]): Promise<void> {
  const file = path.join(import.meta.dirname, '../contenders', script);
  const child = spawn('node', [file, ...given.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
}

async function startReference(children: ChildProcess[], config: string, port: number, provider: number): Promise<void> {
  writeAiConfiguration(config, port, provider);
  const rest = ['serve', '--config', config, '--admin-port', String(await freePort())];
  const child = spawn('node', ['bin/refproxy.mjs', ...rest], { stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('refproxy ready')) break;
  child.stderr.resume();
}

/** Why it did not start; undefined when it did. */
async function startPortkey(children: ChildProcess[], port: number): Promise<string | undefined> {
  const file = path.join(import.meta.dirname, '../contenders/portkey.ts');
  const child = spawn('node', [file, String(port)], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let errors = '';
  child.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('Ready for connections')) continue;
    child.stdout.resume();
    return undefined;
  }
  return errors.trim().split('\n').at(-1) ?? 'it ended without a word';
}

function loadOf({ port, path: at, headers }: Contender, stream: boolean): Omit<Load, 'connections' | 'milliseconds'> {
  const messages = [{ role: 'user', content: 'Tell me about conformance. '.repeat(20) }];
  return { port, path: at, headers, body: JSON.stringify({ model: 'm', messages, stream }) };
}

function thousandStreams(one: Contender): Load {
  const { headers, ...rest } = loadOf(one, true);
  return {
    ...rest,
    headers: { ...headers, 'x-tokens': String(TOKENS_OF_MANY) },
    connections: 1000,
    milliseconds: 0,
    requests: 3,
  };
}

function run(load: Load): Measured {
  const { status, stdout, stderr } = spawnSync('node', [path.join(import.meta.dirname, 'load.ts')], {
    input: JSON.stringify(load),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the load against ${load.path} failed: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

/** Measures contenders in turn, several times; the first time counts for nothing. The one with the middle rate stands for all. */
function inRounds(contenders: readonly Contender[], rounds: number, say: (text: string) => void) {
  return (what: string, measure: (one: Contender) => Measured): Results => {
    const all = new Map(contenders.map(({ name }) => [name, [] as Measured[]]));
    for (let turn = 0; turn <= rounds; turn += 1) {
      for (const contender of contenders) {
        const measured = measure(contender);
        if (measured.failed > 0) mayFail(contender.name, measured.failed, say);
        if (turn > 0) all.get(contender.name)?.push(measured);
      }
    }
    const middle = new Map(
      [...all].flatMap(([name, several]) => (several.length === 0 ? [] : [[name, median(several)]])),
    );
    for (const [name, { rate: perSecond, p50, p99 }] of middle)
      say(`${what}, ${name}: ${Math.round(perSecond)}/s, p50 ${round(p50)} ms, p99 ${round(p99)} ms`);
    return middle;
  };
}

/** A peer's failures are its own; ours and those of the suite's own relay are a mistake. */
function mayFail(name: Name, failed: number, say: (text: string) => void): void {
  if (name !== 'portkey') throw new Error(`${failed} answers of ${name} were not 200`);
  say(`${failed} answers of ${name} were not 200 and do not count`);
}

function median(several: readonly Measured[]): Measured {
  const sorted = several.toSorted((a, b) => a.rate - b.rate);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}

function rates(name: string, results: Results): Record<string, number> {
  const [relay, portkey] =
    name === 'ai.' ? ['ai.relayRatio', 'ai.portkeyRatio'] : [`${name}RelayRatio`, `${name}PortkeyRatio`];
  return {
    [relay]: round(rate(results, 'reference') / rate(results, 'relay')),
    ...(results.has('portkey') ? { [portkey]: round(rate(results, 'reference') / rate(results, 'portkey')) } : {}),
  };
}

/** What a contender adds to the time the provider takes when it is asked directly. */
function added(name: string, results: Results): Record<string, number> {
  const direct = value(results, 'provider');
  return Object.fromEntries(
    [...results].flatMap(([contender, { p50, p99 }]) =>
      contender === 'provider' || direct === undefined
        ? []
        : [
            [`${name}P50Ms.${contender}`, round(p50 - direct.p50)],
            [`${name}P99Ms.${contender}`, round(p99 - direct.p99)],
          ],
    ),
  );
}

/** Microseconds that a guard of patterns takes for a kilobyte of prompt. */
function guardCost(
  reference: Contender,
  rounds: number,
  roundMs: number,
  say: (text: string) => void,
): Record<string, number> {
  const messages = [
    { role: 'user', content: 'Tell me about conformance, and why. '.repeat(30 * KILOBYTES).slice(0, 1024 * KILOBYTES) },
  ];
  const body = JSON.stringify({ model: 'm', messages });
  const rateAt = (at: string): number => {
    const load = { ...reference, body, path: `${at}/v1/chat/completions`, connections: 32, milliseconds: roundMs };
    const { rate: perSecond, failed } = run(load);
    if (failed > 0) throw new Error(`${failed} answers of ${at} were not 200`);
    return perSecond;
  };
  const best = { plain: 0, guarded: 0 };
  // In turn, and the best of each: what else the machine does can only make a round slower.
  for (let turn = 0; turn <= rounds; turn += 1) {
    best.plain = Math.max(best.plain, rateAt('/plain'));
    best.guarded = Math.max(best.guarded, rateAt('/guarded'));
  }
  const cost = round(((1 / best.guarded - 1 / best.plain) * 1e6) / KILOBYTES);
  say(`a guard takes ${cost} µs for a kilobyte`);
  return { 'ai.guardMicrosecondsPerKB': cost };
}

function value(results: Results, name: Name): Measured | undefined {
  return results.get(name);
}

function rate(results: Results, name: Name): number {
  return value(results, name)?.rate ?? Number.NaN;
}

function first(results: Results, name: Name): number {
  return value(results, name)?.first ?? Number.NaN;
}

function round(number: number): number {
  return Math.round(number * 1000) / 1000;
}
