// A tiny implementation for tests of the runner: routes by host and exact or prefix path to static backends, reads a folder of
// JSON documents, and misbehaves on request: none, ignore-config, first-config-only, exit-at-start, crash-on-request, hang-on-request, refuse-marked,
// ignore-term, old-worker (of the first requests after a change every second one meets the configuration before it), wrong-once (the first
// request for /once in the life of a marker fails), slow-path (/slow takes five seconds), drop-on-reload (a change ends every connection), late-listener (a port that a Gateway names opens a moment after
// its configuration is live). It shares no code with the reference, and is JavaScript because tests start it again and again: with types to
// be taken off, that takes three times as long.
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// An import of this module would read each of its members, three of which load a client of browsers first (docs/tools/bundle.mjs).
const { createServer, request } = process.getBuiltinModule('node:http');

const [folder = '.', port = '0', misbehaviour = 'none', marker = ''] = process.argv.slice(2);
const SLOW_MS = 5000;
const OLD_WORKER_REQUESTS = 12;
/** @type {{ host: string, exact: boolean, path: string, to: { host: string, port: number } }[]} */
let rules = [];
/** What was served when the revision before this one came. */
let before = [];
let atRevision = [];
let sinceChange = 0;
const LATE_MS = 200;
const opened = new Set();

main(misbehaviour);

function main(how) {
  process.stdout.write(`tiny sut, ${how}\n`);
  if (how === 'exit-at-start') throw new Error('it does not want to start');
  if (how === 'ignore-term') process.on('SIGTERM', () => process.stdout.write('not going\n'));
  const load = () => {
    if (how === 'ignore-config' || (how === 'first-config-only' && rules.length > 0)) return;
    const next = readRules(how);
    const isRevision = revisionOf(next) !== revisionOf(rules);
    rules = next;
    // One revision is several files, and each of them may be seen on its own.
    if (isRevision) [before, atRevision, sinceChange] = [atRevision, next, 0];
    if (isRevision && how === 'drop-on-reload') server.closeAllConnections();
    if (how === 'late-listener') openLate();
  };
  const answerTo = (incoming, answer) => {
    const target = incoming.url ?? '/';
    if (how === 'crash-on-request' && target.startsWith('/crash')) process.exit(7);
    if (how === 'hang-on-request' && target.startsWith('/hang')) return;
    if (how === 'wrong-once' && target.startsWith('/once') && isFirst()) {
      answer.writeHead(500).end();
      return;
    }
    const count = sinceChange++;
    const old = how === 'old-worker' && count < OLD_WORKER_REQUESTS && count % 2 === 1;
    const rule = best(old ? before : rules, String(incoming.headers.host).split(':')[0] ?? '', target);
    if (rule === undefined) {
      answer.writeHead(404).end();
      return;
    }
    const delay = how === 'slow-path' && target.startsWith('/slow') ? SLOW_MS : 0;
    setTimeout(() => forward(rule, incoming, answer), delay);
  };
  const server = createServer(answerTo);
  const openLate = () => {
    for (const one of portsOf(readResources(how)).filter((named) => named !== Number(port) && !opened.has(named))) {
      opened.add(one);
      setTimeout(() => createServer(answerTo).listen(one, '127.0.0.1'), LATE_MS);
    }
  };
  load();
  watch(folder, load);
  server.listen(Number(port), '127.0.0.1');
}

/** The path that the canary of a revision is routed by. */
function revisionOf(served) {
  return served.find((rule) => rule.path.startsWith('/rev-'))?.path;
}

function forward(rule, incoming, answer) {
  const call = request(
    { ...rule.to, method: incoming.method, path: incoming.url, headers: incoming.headers, agent: false },
    (reply) => {
      answer.writeHead(reply.statusCode ?? 502, withoutConnection(reply.rawHeaders));
      reply.pipe(answer);
    },
  );
  call.on('error', () => answer.writeHead(503).end());
  incoming.pipe(call);
}

/** What the upstream says of its own connection is none of the client's business. */
function withoutConnection(raw) {
  return raw.filter((_, index) => raw[index - (index % 2)]?.toLowerCase() !== 'connection');
}

/** Whether no process with the same marker was asked before. */
function isFirst() {
  const file = path.join(tmpdir(), `conform-tiny-${marker}`);
  if (existsSync(file)) return false;
  writeFileSync(file, '');
  return true;
}

function readRules(how) {
  const resources = readResources(how);
  if (resources === undefined) return rules;
  const backends = new Map(resources.filter((one) => one['kind'] === 'ProxyBackend').map((one) => [nameOf(one), one]));
  const gateways = new Map(resources.filter((one) => one['kind'] === 'Gateway').map((one) => [nameOf(one), one]));
  return resources.filter((one) => one['kind'] === 'HTTPRoute').flatMap((route) => rulesOf(route, gateways, backends));
}

function portsOf(resources = []) {
  const gateways = resources.filter((one) => one['kind'] === 'Gateway');
  return gateways.flatMap((one) => list(at(one, 'spec', 'listeners')).map((listener) => Number(at(listener, 'port'))));
}

/** Undefined where nothing of it is taken. */
function readResources(how) {
  const texts = readTexts();
  // Like a proxy that refuses a whole configuration because of one bad resource.
  if (how === 'refuse-marked' && texts.some((text) => text.includes('POISON'))) return undefined;
  return texts.flatMap((text) =>
    text
      .split('---\n')
      .filter((part) => part.trim() !== '')
      .map((part) => JSON.parse(part))
      .filter(isObject),
  );
}

/** Read until two readings are alike: files that were written while the others were read would make half of a configuration. */
function readTexts() {
  let texts = readOnce();
  for (let again = readOnce(); again.join('') !== texts.join(''); again = readOnce()) texts = again;
  return texts;
}

function readOnce() {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map(read);
}

function read(name) {
  try {
    return readFileSync(path.join(folder, name), 'utf8');
  } catch {
    return '';
  }
}

function rulesOf(route, gateways, backends) {
  const namespace = at(route, 'metadata', 'namespace');
  const gateway = gateways.get(`${String(namespace)}/${String(at(route, 'spec', 'parentRefs', 0, 'name'))}`);
  const hosts =
    list(at(route, 'spec', 'hostnames')).length > 0
      ? list(at(route, 'spec', 'hostnames'))
      : [at(gateway, 'spec', 'listeners', 0, 'hostname')];
  return list(at(route, 'spec', 'rules')).flatMap((rule) => {
    const backend = backends.get(`${String(namespace)}/${String(at(rule, 'backendRefs', 0, 'name'))}`);
    if (backend === undefined) return [];
    const to = {
      host: String(at(backend, 'spec', 'static', 'host')),
      port: Number(at(backend, 'spec', 'static', 'port')),
    };
    return hosts.map((host) => ({
      host: String(host),
      exact: at(rule, 'matches', 0, 'path', 'type') === 'Exact',
      path: String(at(rule, 'matches', 0, 'path', 'value')),
      to,
    }));
  });
}

function best(all, host, target) {
  const pathname = target.split('?')[0] ?? '';
  const fits = all.filter(
    (rule) => rule.host === host && (rule.exact ? rule.path === pathname : pathname.startsWith(rule.path)),
  );
  return fits.toSorted(
    (one, other) => Number(other.exact) - Number(one.exact) || other.path.length - one.path.length,
  )[0];
}

function nameOf(resource) {
  return `${String(at(resource, 'metadata', 'namespace'))}/${String(at(resource, 'metadata', 'name'))}`;
}

function at(value, ...keys) {
  return keys.reduce((inner, key) => {
    if (Array.isArray(inner) && typeof key === 'number') return inner[key];
    return isObject(inner) ? inner[String(key)] : undefined;
  }, value);
}

function list(value) {
  return Array.isArray(value) ? value : [];
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
