// Adapter between the conformance suite and {{name}}: one JSON object per line comes in, one goes out with the same seq.
// The protocol: docs/guide/adapter-protocol.md of proxy-conformance. Only answers may go to standard output.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Message {
  readonly seq: number;
  readonly cmd: string;
  readonly op?: string;
  readonly dir?: string;
  readonly ports?: { readonly data: number; readonly admin: number };
  readonly resources?: readonly Resource[];
}

type Answer = Readonly<Record<string, unknown>>;

/** What starts the implementation. */
const COMMAND: readonly string[] = ["{{words}}"];
const EXPRESSIBLE = new Set(['Namespace', 'Gateway', 'HTTPRoute', 'ProxyBackend']);
let program: ChildProcess | undefined;

const HANDLERS: Readonly<Record<string, (message: Message) => Answer>> = {
  hello: () => ({ protocol: 1, implementation: { name: '{{name}}' }, ops: [] }),
  start,
  apply,
  op: ({ op }) => ({ unsupported: `op ${op}` }),
  stop,
};

/** Starts the implementation on the ports of the message. It need not serve yet: the suite waits for its canary. */
function start({ ports, dir = '.' }: Message): Answer {
  const values = { '{data}': String(ports?.data), '{admin}': String(ports?.admin), '{dir}': dir };
  const words = COMMAND.map((word) => Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), word));
  const [file, ...rest] = words;
  if (file === undefined) return { error: { message: 'there is no command' } };
  program = spawn(file, rest, { stdio: ['ignore', 2, 2] });
  program.on('error', (error) => process.stderr.write(`${error.message}\n`));
  return { ok: true };
}

/** Hands over everything that shall exist from now on. What cannot be expressed has to be refused by name. */
function apply({ resources = [] }: Message): Answer {
  if (program === undefined) return { error: { message: 'start comes before apply' } };
  // TODO also look into the resources: a field that is left out in silence would accuse the implementation.
  const refused = resources.filter(({ kind }) => !EXPRESSIBLE.has(kind));
  if (refused.length > 0) return { rejected: refused.map(refusal) };
  // TODO write the resources in the language of the implementation, and make it read them.
  return { error: { message: 'this adapter does not hand over a configuration yet' } };
}

function refusal({ kind, metadata: { name, namespace = '' } }: Resource): Answer {
  return { resource: `${kind} ${namespace}/${name}`, message: `${kind} cannot be expressed` };
}

function stop(): Answer {
  program?.kill();
  return { ok: true };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message: Message = JSON.parse(line);
  const handler = HANDLERS[message.cmd];
  const answer = handler === undefined ? { unsupported: `cmd ${message.cmd}` } : answerOf(handler, message);
  process.stdout.write(`${JSON.stringify({ seq: message.seq, ...answer })}\n`);
}
stop(); // the suite is gone; so is the implementation

function answerOf(handler: (message: Message) => Answer, message: Message): Answer {
  try {
    return handler(message);
  } catch (error) {
    return { error: { message: String(error) } };
  }
}
