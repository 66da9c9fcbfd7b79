// The reference as the product of dialect.yaml: takes configuration in the product's words and shows policies in them.
// usage: behind.mjs --config DIR --admin-port PORT --stats-port PORT
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, watch } from 'node:fs';
import { readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { readTranslator } from './translate.mjs';

const here = import.meta.dirname;
const { inward, outward } = readTranslator(path.join(here, 'dialect.yaml'));
const { values } = parseArgs({
  options: { config: { type: 'string' }, 'admin-port': { type: 'string' }, 'stats-port': { type: 'string' } },
});
const inside = mkdtempSync(path.join(tmpdir(), 'harbour-'));
process.once('exit', () => rmSync(inside, { recursive: true, force: true }));

// --- configuration: every file that appears is translated into the reference's folder, in the order they were written

let copied = new Map();
let syncing = Promise.resolve();

async function look() {
  const names = (await readdir(values.config)).filter((name) => /^[^.].*\.(ya?ml|json)$/.test(name));
  const stats = await Promise.all(
    names.map(async (name) => [
      name,
      await stat(path.join(values.config, name), { bigint: true }).catch(() => undefined),
    ]),
  );
  return new Map(
    stats.flatMap(([name, seen]) => (seen ? [[name, { at: seen.mtimeNs, id: `${seen.mtimeNs} ${seen.ino}` }]] : [])),
  );
}

const same = (one, other) => one.size === other.size && [...one].every(([name, { id }]) => other.get(name)?.id === id);

async function sync() {
  // A file written later must not be seen without one written before: look until nothing moves.
  let seen = await look();
  for (let again = await look(); !same(seen, again); again = await look()) seen = again;
  const changed = [...seen].filter(([name, { id }]) => copied.get(name)?.id !== id);
  changed.sort(([, one], [, other]) => (one.at < other.at ? -1 : 1));
  const gone = [...copied.keys()].filter((name) => !seen.has(name));
  copied = seen;
  for (const name of gone) await rm(path.join(inside, name), { force: true });
  for (const [name] of changed) await copy(name);
}

async function copy(name) {
  const text = await readFile(path.join(values.config, name), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const draft = path.join(inside, `.${name}.draft`);
  await writeFile(draft, translated(text), { mode: 0o600 });
  await rename(draft, path.join(inside, name));
}

function translated(text) {
  const documents = parseAllDocuments(text);
  // What cannot be read goes on as it is: to refuse it in clear words is the reference's business.
  if (documents.some(({ errors }) => errors.length > 0)) return text;
  return documents.map((document) => `---\n${JSON.stringify(inward(document.toJS()))}\n`).join('');
}

// One file that is moved here makes several events: what happens before the next look begins is seen by it.
let planned = false;
const resync = () => {
  if (planned) return;
  planned = true;
  const syncOnce = () => {
    planned = false;
    return sync();
  };
  syncing = syncing.then(syncOnce).catch((error) => console.error(`harbour: ${error}`));
};

// --- the admin endpoint: passed on, with the effective policies of a trace in the product's words

const SECTION = { backend: 'backend', frontend: 'frontend' };

function traceLine(line) {
  if (!line.startsWith('data:')) return line;
  const record = JSON.parse(line.slice('data:'.length));
  const { message } = record;
  if (message?.effectivePolicy === undefined) return line;
  const place = `ProxyPolicy/spec/${SECTION[message.phase] ?? 'traffic'}`;
  return `data: ${JSON.stringify({ ...record, message: { ...message, effectivePolicy: outward(message.effectivePolicy, place) } })}`;
}

function passOn(incoming, answer, port) {
  const { method, url, headers } = incoming;
  const call = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (reply) => {
    answer.writeHead(reply.statusCode, reply.rawHeaders);
    answer.flushHeaders();
    if (!/event-stream/.test(reply.headers['content-type'] ?? '')) {
      reply.pipe(answer);
      return;
    }
    let rest = '';
    reply.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      if (lines.length > 0) answer.write(`${lines.map(traceLine).join('\n')}\n`);
    });
    reply.once('end', () => answer.end(rest));
    reply.once('error', () => answer.destroy());
  });
  call.once('error', () => answer.destroy());
  answer.once('close', () => call.destroy());
  incoming.pipe(call);
}

// --- start

async function freePort() {
  const server = createTcpServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const port = await freePort();
watch(values.config, resync);
await sync();
const program = path.join(here, '../../bin/refproxy.mjs');
const proxy = spawn(
  process.execPath,
  [program, 'serve', '--config', inside, '--admin-port', String(port), '--stats-port', values['stats-port']],
  {
    stdio: 'inherit',
  },
);
proxy.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => proxy.kill(signal));
createServer((incoming, answer) => passOn(incoming, answer, port)).listen(Number(values['admin-port']), '127.0.0.1');
