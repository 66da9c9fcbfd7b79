// What lies before and below a request: handshakes, HTTP/2, large bodies; the reference beside nginx and haproxy, one thread each.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../conformance/runner/sut/ports.ts';
import { handshakesPerSecond, requestsPerSecond, throughput } from './clients.ts';
import { startContenders, type Contender } from './contenders.ts';
import { median } from '../median.ts';

export interface WireBench {
  readonly folder: string;
  readonly rounds: number;
  readonly roundMs: number;
  readonly say: (text: string) => void;
}

const MEGABYTES = Number(process.env['BENCH_BODY_MB'] ?? 1024);

/** Numbers `wire.…`: figures of the reference, ratios to the others, and of HTTP/2 to HTTP/1 of the reference. */
export async function measureWire({ folder, rounds, roundMs, say }: WireBench): Promise<Record<string, number>> {
  const own = path.join(folder, 'wire');
  mkdirSync(own);
  const port = await freePort();
  const upstream = spawn('node', [path.join(import.meta.dirname, 'upstream.ts'), String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(upstream.stdout, 'data');
  const contenders = await startContenders(own, port, say);
  try {
    const figures = new Map<string, number[]>();
    // The first round of each counts for nothing.
    for (let round = 0; round <= rounds; round += 1) {
      for (const contender of contenders) {
        for (const [name, value] of Object.entries(await figuresOf(contender, roundMs)))
          figures.set(
            `${contender.name} ${name}`,
            round === 0 ? [] : [...(figures.get(`${contender.name} ${name}`) ?? []), value],
          );
      }
      say(`wire, round ${round} of ${rounds} done`);
    }
    if (![...figures.keys()].some((name) => name.endsWith('http2'))) say('h2load is not here: no figures of HTTP/2');
    return summary(figures, contenders);
  } finally {
    for (const { stop } of contenders) stop();
    upstream.kill('SIGKILL');
  }
}

async function figuresOf(contender: Contender, milliseconds: number): Promise<Record<string, number>> {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  const rates = (['http1', 'http1s', 'h2'] as const).map((version) => requestsPerSecond(contender, version, seconds));
  const [http1, http1Tls, http2] = rates;
  const { rate, grown } = await throughput(contender, MEGABYTES);
  return {
    handshakes: await handshakesPerSecond(contender, milliseconds, false),
    resumed: await handshakesPerSecond(contender, milliseconds, true),
    ...(http1 !== undefined && { http1 }),
    ...(http1Tls !== undefined && { http1Tls }),
    ...(http2 !== undefined && { http2 }),
    bodyMegabytes: rate,
    bodyGrown: grown,
  };
}

function summary(
  figures: ReadonlyMap<string, readonly number[]>,
  contenders: readonly Contender[],
): Record<string, number> {
  const of = (contender: string, name: string): number => median(figures.get(`${contender} ${name}`) ?? []);
  const numbers: Record<string, number> = {};
  for (const key of figures.keys()) {
    const [contender, name] = key.split(' ', 2);
    if (contender !== 'reference' || name === undefined) continue;
    numbers[`wire.${name}`] = Math.round(of('reference', name));
    for (const { name: other } of contenders) {
      if (other !== 'reference' && name !== 'bodyGrown')
        numbers[`wire.${name}.${other}Ratio`] = ratio(of('reference', name), of(other, name));
    }
  }
  // Both over TLS, so that it is the version that differs.
  return { ...numbers, 'wire.http2ToHttp1': ratio(of('reference', 'http2'), of('reference', 'http1Tls')) };
}

function ratio(one: number, other: number): number {
  return Math.round((one / other) * 1000) / 1000;
}
