import { connect, createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { arming } from './arming.ts';
import { spawnCollected, type CollectedProcess } from './collected-process.ts';
import { fillPlaceholders } from '../sut/manifest.ts';
import { freePort } from '../sut/ports.ts';
import { withinFair } from '../sut/time/fair-time.ts';
import { isObject } from '../values/json.ts';
import { CaseFault, StepUnsupported, type Observation, type StepContext } from './step.ts';
import type { ClientRun } from './background.ts';

interface CliInput {
  readonly args?: readonly (string | number)[] | undefined;
  readonly stdin?: string | undefined;
  readonly as?: string | undefined;
  readonly hold?: string | undefined;
  readonly wait?: string | undefined;
  readonly signal?: 'INT' | 'TERM' | 'HUP' | undefined;
  readonly admin?: 'unreachable' | undefined;
}

/** TRACE-001 */
const TRACE_PATH = '/debug/trace';

/** Starts the trace client or waits for one that was started before. Throws StepUnsupported when the manifest has no cli.trace. */
export async function runClient(input: CliInput, context: StepContext): Promise<Observation> {
  if (input.wait !== undefined) return awaitClient(input.wait, input, context);
  const client = await startClient(input, context);
  if (input.as === undefined) {
    const seen = await client.finish(context.limitMs);
    client.stop();
    return seen;
  }
  context.background.clients.set(input.as, client);
  return client.armed(context.limitMs);
}

async function awaitClient(name: string, input: CliInput, context: StepContext): Promise<Observation> {
  const client = context.background.clients.get(name);
  if (client === undefined) throw new CaseFault(`no client ${name} was started before`);
  if (input.signal !== undefined) client.signal(`SIG${input.signal}`);
  return client.finish(context.limitMs);
}

interface StartedClient extends ClientRun {
  /** Resolves when the admin endpoint has begun to answer the client, or the client has ended, or after the limit. */
  readonly armed: (limitMs: number) => Promise<Observation>;
}

/** A command line of the trace client whose admin endpoint is behind a relay. */
export interface ClientCommand {
  readonly command: readonly string[];
  readonly relay: Relay;
}

/** The client's command for arguments of a case, with its relay running. Throws StepUnsupported when the manifest has no cli.trace. */
export async function clientCommand(
  input: Pick<CliInput, 'args' | 'admin' | 'hold'>,
  { manifest, session, namespace, peers }: StepContext,
): Promise<ClientCommand> {
  if (manifest.cli === undefined) throw new StepUnsupported('the manifest names no cli.trace');
  const { admin, data } = session.endpoints;
  if (admin === undefined) throw new StepUnsupported('the manifest names no admin endpoint');
  const { hold } = input;
  const relay = await startRelay(
    admin,
    session.unspecified['U-002'],
    hold === undefined ? undefined : async () => peers.gates.wait(hold),
  );
  const adminPort = input.admin === 'unreachable' ? await freePort() : relay.port;
  const values = {
    manifest: manifest.folder,
    dir: manifest.folder,
    'port.data': String(data.port),
    'port.admin': String(adminPort),
  };
  const words = manifest.cli.trace.map((word) => fillPlaceholders(word, values, manifest.file));
  const inCluster = namespaceIn(session, namespace);
  return { command: [...words, ...(input.args ?? []).map((arg) => inCluster(String(arg)))], relay };
}

/** The namespaces of a case have a prefix in a cluster, also where an argument of the client names one. */
function namespaceIn({ asDelivered }: StepContext['session'], namespace: string): (arg: string) => string {
  const theirs = (name: string): string => {
    const space = asDelivered({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const given = isObject(space) && isObject(space['metadata']) ? space['metadata']['name'] : undefined;
    return typeof given === 'string' ? given : name;
  };
  const named = new RegExp(`^(-[^=]*=)?(${namespace}(-[a-z0-9-]+)?)$`);
  return (arg) => arg.replace(named, (_, option: string | undefined, name: string) => `${option ?? ''}${theirs(name)}`);
}

async function startClient(input: CliInput, context: StepContext): Promise<StartedClient> {
  const { manifest } = context;
  const { command, relay } = await clientCommand(input, context);
  context.timeline.add('client', `> ${input.args?.join(' ') ?? ''}`);
  const child = spawnCollected(command, input.stdin ?? '', { cwd: manifest.folder, env: manifest.extraEnv });
  const observe = (running: boolean): Observation => describe(child, relay, running);
  return {
    signal: child.signal,
    stop: () => {
      child.signal('SIGKILL');
      relay.stop();
    },
    armed: async (limitMs) => {
      await withinFair([relay.answered, child.ended], limitMs);
      return observe(child.exit() === undefined);
    },
    finish: async (limitMs) => {
      const ended = await withinFair([child.ended], limitMs);
      return { ...observe(!ended), ...(ended ? {} : { failure: 'timeout' }) };
    },
  };
}

function describe(child: CollectedProcess, relay: Relay, running: boolean): Observation {
  const stdout = child.stdout();
  const lines = stdout.split('\n').filter((line) => line !== '');
  const exit = child.exit();
  return {
    stdout,
    stderr: child.stderr(),
    lines,
    json: lines.map(parseLine),
    admin: relay.requests(),
    running,
    ...(exit === undefined ? {} : { exit: exit.code, signal: exit.signal }),
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/**
 * A relay between the client and the admin endpoint. The client prints nothing when its tap is armed; the answer, seen here, says
 * so without any change to the client.
 */
export interface Relay {
  readonly port: number;
  /** Resolves when the trace stream shows that it watches. */
  readonly answered: Promise<void>;
  /** First lines of what the client asked. */
  readonly requests: () => readonly string[];
  readonly stop: () => void;
}

/** `released`: when the client gets what comes on the connection on which it asked for the trace. */
async function startRelay(
  admin: { readonly host: string; readonly port: number },
  sign: unknown,
  released?: () => Promise<unknown>,
): Promise<Relay> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const { promise: answered, resolve: tell } = Promise.withResolvers<void>();
  const server = createServer((client) => {
    const upstream = connect(admin.port, admin.host);
    for (const socket of [client, upstream]) keep(socket, sockets);
    // A client may ask for other things first, on this connection or another: only the trace stream arms.
    let asksForTrace = false;
    let head = '';
    let sawHead = false;
    const watcher = arming(sign, () => setImmediate(tell));
    client.on('data', (bytes: Buffer) => {
      const line = bytes.toString('latin1').split('\r\n')[0] ?? '';
      if (line.includes(' HTTP/1.')) requests.push(line);
      if (asksForTrace || !line.includes(TRACE_PATH)) return;
      asksForTrace = true;
      head = '';
      watcher.asked();
    });
    upstream.on('data', (bytes: Buffer) => {
      if (!asksForTrace) return;
      if (head.length < 65_536) head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      if (!sawHead) watcher.head(Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1]));
      sawHead = true;
      if (head.length > end + 4) watcher.bytes();
    });
    client.pipe(upstream);
    if (released === undefined) upstream.pipe(client);
    else
      upstream
        .pipe(
          Duplex.from(async function* held(answer: AsyncIterable<Buffer>) {
            for await (const bytes of answer) {
              if (asksForTrace) await released();
              yield bytes;
            }
          }),
        )
        .pipe(client);
    upstream.once('error', () => client.destroy());
    client.once('error', () => upstream.destroy());
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => {
      watcher.end();
      client.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: portOf(server), answered, requests: () => requests, stop: () => stopRelay(server, sockets) };
}

function keep(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

function stopRelay(server: Server, sockets: ReadonlySet<Socket>): void {
  server.close();
  for (const socket of sockets) socket.destroy();
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
