// What a request costs the reference of this tree and that of another, in CPU of its process: other work on the machine makes every rate
// worse, but hardly adds to the time that a process has for itself.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { writeAiConfiguration } from './ai/configuration.ts';
import { CONNECTIONS, fastestFifth, measureCost, REQUESTS, WARM_UP } from './cost.ts';
import type { Message } from './drive.ts';
import { contenders } from './policies.ts';
import { target, writeConfiguration as writeRoutes } from './reference-configuration.ts';
import { writeConfiguration as writePolicies } from './soak/configuration.ts';
import { credentials } from './soak/credentials.ts';
import { median } from './median.ts';
import { freePort } from '../conformance/runner/sut/ports.ts';
import { PEERS, type PeerName } from './soak/routes.ts';

export interface AgainstBench {
  readonly folder: string;
  /** Another checkout, with `npm ci` done in it. */
  readonly other: string;
  readonly rounds: number;
  /** Names of what is asked; all when empty. */
  readonly only: readonly string[];
  readonly say: (text: string) => void;
}

/** Above it a request has become too dear. */
const WORST = 1.05;

/** Of a process. */
const TURNS = 9;

const TREES = ['before', 'now'] as const;
type Tree = (typeof TREES)[number];

/** What both trees are asked alike. */
interface Question {
  readonly name: string;
  readonly host: string;
  readonly path: string;
  readonly message?: Message;
  readonly at: Readonly<Record<Tree, Proxy>>;
}

interface Proxy {
  readonly port: number;
  readonly child: ChildProcess;
}

/** Microseconds of CPU per request, one number a process. */
type Costs = Readonly<Record<Tree, number[]>>;

/**
 * Per question `against.<name>.before` and `….now`, microseconds of CPU per request, `….ratio` of the round in the middle, and `….least` and `….most` of
 * all rounds: far apart, they say that the machine was not quiet enough for the ratio.
 */
export async function measureAgainst({ rounds, say, ...bench }: AgainstBench): Promise<Record<string, number>> {
  const costs = new Map<string, Costs>();
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, before, now } of await measureRound({ ...bench, say: round === 0 ? say : () => {} })) {
      const all = costs.get(name) ?? { before: [], now: [] };
      all.before.push(fastestFifth(before));
      all.now.push(fastestFifth(now));
      costs.set(name, all);
    }
    say(`round ${round + 1} of ${rounds} done`);
  }
  return report(costs, say);
}

/** What each question cost in each turn of a process that was begun for it. */
async function measureRound({
  folder,
  other,
  only,
  say,
}: Omit<AgainstBench, 'rounds'>): Promise<readonly (Costs & { readonly name: string })[]> {
  const children: ChildProcess[] = [];
  try {
    const asked = await served(await questions(folder, other, children), only, say);
    const measured = asked.map((question): Measured => ({ question, name: question.name, before: [], now: [] }));
    for (const { question } of measured) for (const tree of TREES) await costOf(question, tree, WARM_UP);
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const { question, ...costs } of measured) {
        // In turn who comes first, so that a machine that becomes faster or slower favours nobody.
        for (const tree of turn % 2 === 0 ? TREES : TREES.toReversed()) {
          costs[tree].push(await costOf(question, tree, REQUESTS));
        }
      }
    }
    return measured;
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

interface Measured extends Costs {
  readonly name: string;
  readonly question: Question;
}

async function questions(folder: string, other: string, children: ChildProcess[]): Promise<readonly Question[]> {
  const [upstream, provider, servers, tokens] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const script = async (name: string, port: number): Promise<void> => {
    const file = path.join(import.meta.dirname, 'contenders', name);
    const child = spawn(process.execPath, [file, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
  };
  await script('upstream.ts', upstream);
  await script('llm.ts', provider);
  await script('policy-servers.ts', servers);
  await script('token-endpoint.ts', tokens);
  const roots = { before: path.resolve(other), now: path.resolve(import.meta.dirname, '..') };
  const proxies = async (write: (into: string, port: number) => void): Promise<Record<Tree, Proxy>> => {
    const start = async (tree: Tree): Promise<Proxy> => {
      const port = await freePort();
      const config = path.join(folder, `against-${port}`);
      write(config, port);
      return { port, child: await startReference(roots[tree], config, children) };
    };
    return { before: await start('before'), now: await start('now') };
  };

  const one = { upstream, routes: 1, policies: 0 };
  const hundred = { upstream, routes: 100, policies: 10 };
  const { token, keySet } = await credentials();
  const peers = Object.fromEntries(PEERS.map((name) => [name, upstream])) as Record<PeerName, number>;
  const asked = { ...peers, authorization: servers, processor: servers, limits: servers, keys: tokens };
  const policies = await proxies((into, port) => {
    writePolicies(into, { port, peers: asked, keySet, perSecond: 1_000_000_000 });
  });
  const chat = await proxies((into, port) => {
    writeAiConfiguration(into, port, provider);
  });
  return [
    {
      name: 'plain',
      ...target({ ...one, port: 0 }),
      at: await proxies((into, port) => {
        writeRoutes(into, { ...one, port });
      }),
    },
    {
      name: '100Routes10Policies',
      ...target({ ...hundred, port: 0 }),
      at: await proxies((into, port) => {
        writeRoutes(into, { ...hundred, port });
      }),
    },
    { name: 'post', host: 'bench.test', path: '/plain', message: { method: 'POST', body: 'x' }, at: policies },
    ...Object.entries(contenders(token)).map(([name, question]) => ({
      name,
      host: 'bench.test',
      ...question,
      at: policies,
    })),
    { name: 'ai', host: 'bench.test', path: '/plain/v1/chat/completions', message: CHAT, at: chat },
    { name: 'aiGuard', host: 'bench.test', path: '/guarded/v1/chat/completions', message: CHAT, at: chat },
  ];
}

const CHAT: Message = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'm',
    messages: [{ role: 'user', content: 'Tell me about conformance. '.repeat(20) }],
  }),
};

async function startReference(root: string, config: string, children: ChildProcess[]): Promise<ChildProcess> {
  const rest = ['serve', '--config', config, '--admin-port', String(await freePort())];
  // Node of this process for both, and so the process that is started is the one that serves.
  const child = spawn(process.execPath, ['bin/refproxy.mjs', ...rest], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('refproxy ready')) break;
  child.stderr.resume();
  return child;
}

/** What both trees answer with 200. */
async function served(
  all: readonly Question[],
  only: readonly string[],
  say: (text: string) => void,
): Promise<readonly Question[]> {
  const kept: Question[] = [];
  for (const question of all) {
    if (only.length > 0 && !only.includes(question.name)) continue;
    try {
      for (const tree of TREES) await costOf(question, tree, CONNECTIONS);
      kept.push(question);
    } catch (error) {
      const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\r\n');
      say(`${question.name} is left out: ${why}`);
    }
  }
  if (kept.length === 0) throw new Error('the two trees have nothing in common that could be asked');
  return kept;
}

async function costOf(
  { host, path: at, message, at: proxies }: Question,
  tree: Tree,
  requests: number,
): Promise<number> {
  const { port, child } = proxies[tree];
  const { micros } = await measureCost(child, { port, host, path: at, requests, ...(message && { message }) });
  return micros;
}

function report(costs: ReadonlyMap<string, Costs>, say: (text: string) => void): Record<string, number> {
  const numbers: Record<string, number> = {};
  const worse: string[] = [];
  for (const [name, { before, now }] of costs) {
    // Both processes of a round share what else the machine did meanwhile; one round in which it did much says nothing of the others.
    const ratios = now.map((cost, round) => cost / (before[round] ?? Number.NaN));
    const [least, ratio, most] = [Math.min(...ratios), median(ratios), Math.max(...ratios)].map(thousandths);
    numbers[`against.${name}.before`] = Math.round(median(before) * 10) / 10;
    numbers[`against.${name}.now`] = Math.round(median(now) * 10) / 10;
    Object.assign(numbers, {
      [`against.${name}.ratio`]: ratio,
      [`against.${name}.least`]: least,
      [`against.${name}.most`]: most,
    });
    if (median(ratios) > WORST) worse.push(name);
  }
  say(worse.length === 0 ? 'no ratio is worse by more than 5 %' : `worse by more than 5 %: ${worse.join(', ')}`);
  return numbers;
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}
