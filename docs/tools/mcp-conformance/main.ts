// `npm run mcp-conformance`: the official conformance suite of MCP against the reference as a gateway. See README.md.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'yaml';
import { z } from 'zod';
import { freePort } from '../../../conformance/runner/sut/ports.ts';

const SUITE = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';
const CACHE = path.resolve('.cache/mcp-conformance');
const SERVERS = path.join(import.meta.dirname, 'servers');

type Server = 'with-sessions' | 'per-request';

/** The suite asks the server itself first, then the gateway before it: what the server passes alone it has to pass behind it. */
interface Way {
  readonly name: string;
  readonly revision: string;
  readonly server: Server;
  /** A second server beside it, so that names have that of their target before them. */
  readonly beside?: Server;
  readonly policies?: object;
  /** Scenarios, or `SCENARIO CHECK`, that a gateway does not pass, with the reason. */
  readonly except?: Readonly<Record<string, string>>;
}

const RULES = { mcp: { authorization: { action: 'Allow', policy: { matchExpressions: ['true'] } } } };
const URIS = 'URIs of resources have the name of their target inside, and the suite asks for its own';
const POLLS =
  'where rules judge what is in a stream, the proxy itself takes it up again, and the client has nothing to do';
const FIELDS =
  'what the suite sends has not the fields that the revision wants, and the gateway looks at them before it looks at the method';
const TASKS = { 'tasks-dispatch-and-envelope sep-2663-tasks-result-removed-method-not-found': FIELDS };
const ONE_NAME = 'the suite asks for a tool whose name does not begin with test_';
const SEVERAL = {
  'resources-read-text': URIS,
  'resources-read-binary': URIS,
  'resources-templates-read': URIS,
  'resources-subscribe': URIS,
  'resources-unsubscribe': URIS,
  'json-schema-2020-12': ONE_NAME,
};

const WAYS: readonly Way[] = [
  { name: 'one server', revision: '2025-11-25', server: 'with-sessions' },
  {
    name: 'rules',
    revision: '2025-11-25',
    server: 'with-sessions',
    policies: RULES,
    except: { 'server-sse-polling': POLLS },
  },
  { name: 'two servers', revision: '2025-11-25', server: 'with-sessions', beside: 'with-sessions', except: SEVERAL },
  { name: 'one server', revision: '2026-07-28', server: 'per-request', except: TASKS },
  { name: 'rules', revision: '2026-07-28', server: 'per-request', policies: RULES, except: TASKS },
  {
    name: 'two servers, the other with sessions',
    revision: '2026-07-28',
    server: 'per-request',
    beside: 'with-sessions',
    except: { ...SEVERAL, ...TASKS },
  },
];

const CHECKS = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));
type Checks = z.infer<typeof CHECKS>;

/** What the suite found, by scenario. */
type Results = ReadonlyMap<string, Checks>;

const children: ChildProcess[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'mcp-conformance-'));
try {
  installSuite();
  const alone = new Map<string, Results>();
  for (const way of WAYS) {
    const { revision, server } = way;
    const direct = alone.get(revision) ?? (await ask(`${revision} alone`, await start(server, 'alone'), revision));
    alone.set(revision, direct);
    compare(way, direct, await ask(`${revision} ${way.name}`, await startGateway(way), revision));
  }
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** Into the cache, once: it has 130 dependencies, and only this command needs them. */
function installSuite(): void {
  if (existsSync(path.join(CACHE, 'node_modules', SUITE, 'package.json'))) return;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(path.join(CACHE, 'package.json'), '{ "private": true }\n');
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', `${SUITE}@${VERSION}`], {
    cwd: CACHE,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`${SUITE} ${VERSION} cannot be installed into ${CACHE}`);
}

/** Starts a server and gives its port. */
async function start(server: Server, place: 'alone' | 'several'): Promise<number> {
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(SERVERS, `${server}.mjs`), String(port), place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return port;
}

async function startGateway({ server, beside, policies, name, revision }: Way): Promise<number> {
  const port = await freePort();
  const isOne = beside === undefined;
  const targets = [
    { name: 'test', port: await start(server, isOne ? 'alone' : 'several') },
    ...(isOne ? [] : [{ name: 'other', port: await start(beside, 'alone') }]),
  ];
  const config = path.join(folder, `${revision} ${name}`);
  mkdirSync(config);
  writeFileSync(path.join(config, 'proxy.yaml'), gateway(port, targets, policies));
  const ports = ['--admin-port', await freePort(), '--stats-port', await freePort()].map(String);
  const child = spawn(process.execPath, ['bin/refproxy.mjs', 'serve', '--config', config, ...ports], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('refproxy ready')) break;
  child.stderr.resume();
  return port;
}

function gateway(port: number, targets: readonly { name: string; port: number }[], policies?: object): string {
  const metadata = { name: 'mcp', namespace: 'default' };
  const api = 'gateway.networking.k8s.io/v1';
  return [
    {
      apiVersion: api,
      kind: 'Gateway',
      metadata,
      spec: { gatewayClassName: 'proxy', listeners: [{ name: 'http', protocol: 'HTTP', port }] },
    },
    {
      apiVersion: api,
      kind: 'HTTPRoute',
      metadata,
      spec: {
        parentRefs: [{ name: 'mcp' }],
        rules: [{ backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'mcp' }] }],
      },
    },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata,
      spec: {
        mcp: {
          targets: targets.map((each) => ({
            name: each.name,
            static: { host: '127.0.0.1', port: each.port, path: '/mcp' },
          })),
        },
        ...(policies && { policies }),
      },
    },
  ]
    .map((object) => stringify(object))
    .join('---\n');
}

async function ask(name: string, port: number, revision: string): Promise<Results> {
  const out = path.join(folder, `out ${name}`);
  const command = path.join(CACHE, 'node_modules', SUITE, 'dist/index.js');
  const flags = ['server', '--url', `http://127.0.0.1:${port}/mcp`, '--requirements', revision, '-o', out];
  const child = spawn(process.execPath, [command, ...flags], { stdio: 'ignore' });
  await once(child, 'exit');
  // Named server-SCENARIO-TIME.
  return new Map(
    readdirSync(out).map((entry) => [
      entry.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      CHECKS.parse(JSON.parse(readFileSync(path.join(out, entry, 'checks.json'), 'utf8'))),
    ]),
  );
}

/** Prints what the gateway loses, and makes the exit code say so. */
function compare({ name, revision, except = {} }: Way, direct: Results, through: Results): void {
  let same = 0;
  const lost: string[] = [];
  for (const [scenario, checks] of direct) {
    if (scenario in except) continue;
    for (const id of new Set(checks.filter(isGood).map((check) => check.id))) {
      // A check that is made several times is good when all of them are.
      if (checks.some((check) => check.id === id && !isGood(check))) continue;
      if (`${scenario} ${id}` in except) continue;
      const now = (through.get(scenario) ?? []).filter((check) => check.id === id);
      const bad = now.find((check) => !isGood(check));
      if (now.length > 0 && bad === undefined) same += 1;
      else lost.push(`  ${scenario} ${id}: ${bad?.errorMessage ?? bad?.status ?? 'not to be seen any more'}`);
    }
  }
  console.log(`${revision}, ${name}: ${same} checks as without the gateway, ${lost.length} lost`);
  for (const line of lost) console.log(line);
  for (const [scenario, why] of Object.entries(except)) console.log(`  not asked: ${scenario}: ${why}`);
  if (lost.length > 0 || same === 0) process.exitCode = 1;
}

function isGood({ status }: Checks[number]): boolean {
  return status === 'SUCCESS';
}
