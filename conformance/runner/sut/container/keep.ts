// Starts a container, prints what it prints, and ends with its exit code. Lines of standard input are signals for it. When the input
// ends, whoever held the container is gone, in whatever way: then it is removed at once.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import {
  loadTestcontainers,
  type Mount,
  type Running,
  type Testcontainers,
  type WaitStrategy,
} from './testcontainers.ts';
import { FOR_CONTAINER } from './variables.ts';

/** What `docker run` ends with when it could not. */
const COULD_NOT_RUN = 125;

const { values, positionals: command } = parseArgs({
  options: {
    image: { type: 'string', default: '' },
    user: { type: 'string', default: '' },
    mount: { type: 'string', multiple: true, default: [] },
    'stop-signal': { type: 'string', default: 'SIGTERM' },
    'stop-within-ms': { type: 'string', default: '5000' },
  },
  allowPositionals: true,
});

/** Signals that came before there was a container. */
const early: string[] = [];
let container: Running | undefined;
let ended = false;

// Whoever read the output may be gone before this program has cleaned up.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
createInterface({ input: process.stdin })
  .on('line', (signal) => void pass(signal))
  .once('close', () => void end(COULD_NOT_RUN));
await main();

async function main(): Promise<void> {
  // Everything is on the network of this machine. Asked for another address, testcontainers wants a bridge, which an engine need not have.
  process.env['TESTCONTAINERS_HOST_OVERRIDE'] ??= '127.0.0.1';
  const library = await loadTestcontainers(process.cwd());
  if (library === undefined) {
    console.error('run.kind container needs the package testcontainers: npm install --save-dev testcontainers');
    process.exit(COULD_NOT_RUN);
  }
  try {
    const id = await start(library);
    container = (await library.getContainerRuntimeClient()).container.getById(id);
  } catch (error) {
    console.error(`no container of ${values.image}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(COULD_NOT_RUN);
  }
  // Its holder went while it was being started.
  if (ended) {
    await remove();
    process.exit(COULD_NOT_RUN);
  }
  const exit = container.wait();
  for (const signal of early) await pass(signal);
  await end((await exit).StatusCode);
}

async function start({ GenericContainer }: Testcontainers): Promise<string> {
  // Whether it is ready is for the runner to see.
  const atOnce: WaitStrategy = {
    waitUntilReady: async () => {},
    withStartupTimeout: () => atOnce,
    isStartupTimeoutSet: () => false,
    getStartupTimeout: () => 0,
  };
  const planned = new GenericContainer(values.image)
    // Peers listen on loopback, and so does the implementation.
    .withNetworkMode('host')
    .withBindMounts(values.mount.map(asMount))
    .withEnvironment(environment())
    // The cleaner of testcontainers is another image to be pulled; this program cleans up.
    .withAutoCleanup(false)
    .withWaitStrategy(atOnce)
    .withLogConsumer((lines) => void lines.on('data', print).on('err', print));
  if (values.user !== '') planned.withUser(values.user);
  if (command.length > 0) planned.withCommand(command);
  return (await planned.start()).getId();
}

function print(text: unknown): void {
  const line = String(text);
  process.stdout.write(line.endsWith('\n') ? line : `${line}\n`);
}

/** `HOST:CONTAINER` or `HOST:CONTAINER:ro`. */
function asMount(text: string): Mount {
  const [source = '', target = source, mode] = text.split(':');
  return { source, target, mode: mode === 'ro' ? 'ro' : 'rw' };
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith(FOR_CONTAINER) && value !== undefined ? [[name.slice(FOR_CONTAINER.length), value]] : [],
    ),
  );
}

/** The stop signal is the last that is waited for: a first process of a container may well not hear it. */
async function pass(signal: string): Promise<void> {
  if (container === undefined) {
    early.push(signal);
    return;
  }
  // A container that has ended meanwhile takes no signal, and is waited for already.
  await container.kill({ signal }).catch(() => undefined);
  if (signal === values['stop-signal'])
    setTimeout(
      () => void container?.kill({ signal: 'SIGKILL' }).catch(() => undefined),
      Number(values['stop-within-ms']),
    );
}

async function end(code: number): Promise<void> {
  if (ended) return;
  ended = true;
  if (container === undefined) return;
  await remove();
  process.exit(code);
}

async function remove(): Promise<void> {
  await container?.remove({ force: true, v: true }).catch(() => undefined);
}
