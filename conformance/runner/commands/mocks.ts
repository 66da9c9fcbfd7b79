import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { z } from 'zod';
import { startByHand } from '../peers/by-hand.ts';
import type { ByHand } from '../peers/by-hand.ts';

interface UpOptions {
  readonly kind: string;
  readonly name: string;
  readonly host: string;
  readonly port: string;
  readonly script?: string;
  readonly redis?: string;
}

const CANNOT_RUN = 3;
const USAGE = 2;

/** Adds `conform mocks up`: one mock on its own, for trying out a proxy or a script by hand. */
export function mocksCommand(program: Command): void {
  program
    .command('mocks')
    .description('run the peers of a case by hand')
    .command('up')
    .description('start one mock, print its address, then one JSON line per request; Ctrl-C ends it')
    .option('--kind <kind>', 'kind of peer', 'http')
    .option('--name <name>', 'what a default answer says', 'mock')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on, 0 for a free one', '0')
    .option('--script <file>', 'YAML or JSON: the peer as it would stand in a case')
    .option('--redis <url>', 'for --kind ratelimit: count there, so that several servers count together')
    .action(async (options: UpOptions, command: Command) => {
      const mock = await up(options, command);
      await untilInterrupted();
      await mock.stop();
    });
}

async function up(options: UpOptions, command: Command): Promise<ByHand> {
  const { name, host } = options;
  try {
    const redis = options.redis === undefined ? {} : { redis: options.redis };
    const script = { kind: options.kind, ...readScript(options.script), ...redis };
    const mock = await startByHand(script, { name, host, port: portOf(options.port), onSettled: print });
    process.stdout.write(`${mock.description}\n`);
    return mock;
  } catch (error) {
    const inUse = error instanceof Error && 'syscall' in error && error.syscall === 'listen';
    return command.error(`conform mocks up: ${wordsOf(error)}`, { exitCode: inUse ? CANNOT_RUN : USAGE });
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new RangeError(`${text} is no port number`);
  return port;
}

function readScript(file: string | undefined): Readonly<Record<string, unknown>> {
  if (file === undefined) return {};
  const script: unknown = parse(readFileSync(file, 'utf8'));
  const parsed = z.record(z.string(), z.unknown()).safeParse(script ?? {});
  if (!parsed.success) throw new TypeError(`${file} holds no script: a script is an object of members`);
  return parsed.data;
}

function print(view: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(view)}\n`);
}

function wordsOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
