import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { eventOf, type FakeProxy, type FakeProxyOptions, startFakeProxy, streamOf } from './fake-proxy.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) process.stderr.write('terminal tests of the trace client skipped: tmux is not installed\n');

const PROGRAM = join(import.meta.dirname, 'trace-program.ts');
const PATIENCE = { timeout: 10_000, interval: 20 };

const EVENTS = [
  eventOf({ type: 'requestStarted' }),
  eventOf({
    type: 'requestSnapshot',
    stage: 'initial request',
    requestState: { request: { method: 'GET', uri: '/a' } },
  }),
  eventOf({
    type: 'requestSnapshot',
    stage: 'gateway policies',
    requestState: { request: { method: 'GET', uri: '/b' } },
  }),
  eventOf({ type: 'routeSelection', selectedRoute: 'team/shop.0', evaluatedRoutes: ['team/shop.0'] }),
  eventOf({ type: 'backendCallStart', target: '\u001b[31mhostile\u0007' }),
  eventOf({ type: 'requestFinished' }, 9),
];

let proxy: FakeProxy;
let socket: string;
const folder = mkdtempSync(join(tmpdir(), 'trace-view-'));
/** Holds the process id of the command. */
const pidFile = join(folder, 'pid');

describe.skipIf(!hasTmux)('trace view in a terminal', { timeout: 60_000 }, () => {
  afterEach(close);
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('inject: waiting, events, panes, scrolling, detail modes, completion, quit (CLI-005, CLI-013, CLI-021..026)', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await open({ trace: streamOf(EVENTS, () => released) }, '--local', '--port', 'DATA', '--', 'http://a.test/');
    await until(/request sent, waiting for trace data/);
    release();

    await until(/6 events · trace complete, press q to quit/);
    await until(/^▶Events$/m);
    await until(/^ {3}1 {2}requestStarted$/m);
    await until(/^ {3}4 {2}routeSelection +selected team\/shop\.0 \(1 evaluated\)$/m);
    await until(/^ {3}5 {2}backendCallStart +\\x1b\[31mhostile\\x07$/m);
    await until(/^ Raw Event · event · YAML$/m);
    await until(/^ Help$/m);

    press('Down', 'Down');
    await until(/stage: gateway policies/);
    press('s');
    await until(/^ Raw Event · snapshot[^]*uri: \/b/m);
    press('d');
    await until(/^ - +uri: \/a\n \+ +uri: \/b$/m);
    press('e');
    await until(/^ Raw Event · event[^]*stage: gateway policies/m);
    press('f');
    await until(/^ {3}"severity": "info",$/m);

    press('Tab');
    await until(/^▶Raw Event/m);
    press('Down', 'Down');
    await until(/^▶Raw Event.*\n {3}"eventEnd": 1,$/m);
    press('Tab');
    await until(/^▶Help\n tab switch pane/m);
    press('Down');
    await until(/^▶Help\n tab, shift-tab/m);
    press('Tab');
    await until(/^▶Events$/m);

    press('q');
    await until(/^exit code 0$/m);
    expect(screen()).not.toMatch(/Raw Event/);
  });

  test('watch: waits for a request, survives resizing, Esc quits and restores the terminal', async () => {
    await open({ trace: streamOf(EVENTS, () => new Promise(() => {})) }, 'gateway/gw');
    await until(/^ waiting for trace data$/m);
    tmux('resize-window', '-t', 'it', '-x', '24', '-y', '5');
    await until(/^ waiting for trace data$/m);
    tmux('resize-window', '-t', 'it', '-x', '100', '-y', '40');
    await until(/^▶Events\n[^]*^ Raw Event[^]*^ Help/m);
    press('Escape');
    await until(/^exit code 0$/m);
    expect(tmux('display-message', '-p', '-t', 'it', '#{alternate_on} #{cursor_flag}').trim()).toBe('0 1');
  });

  test('a stream that breaks off stays readable until the user leaves, then exits 1', async () => {
    await open(
      {
        trace: (response) => {
          response.writeHead(200).write(`data: ${JSON.stringify(EVENTS[0])}\n\n`, () => {
            response.destroy();
          });
        },
      },
      '--local',
    );
    await until(/1 event · failed to read trace stream: .*press q to quit/);
    press('q');
    await until(/^error: failed to read trace stream: /m);
    await until(/^exit code 1$/m);
  });

  test('Ctrl-C and being killed both give the terminal back', async () => {
    await open({ trace: streamOf([], () => new Promise(() => {})) }, '--local');
    await until(/waiting for trace data/);
    press('C-c');
    await until(/^exit code 0$/m);
    await close();

    await open({ trace: streamOf([], () => new Promise(() => {})) }, '--local');
    await until(/waiting for trace data/);
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGTERM');
    await until(/^exit code 143$/m);
    expect(tmux('display-message', '-p', '-t', 'it', '#{alternate_on} #{cursor_flag}').trim()).toBe('0 1');
  });

  test('keys come from the terminal while the trace comes from the standard input', async () => {
    proxy = await startFakeProxy({ trace: () => {} });
    const saved = join(folder, 'saved.jsonl');
    writeFileSync(saved, EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(''));
    runInTerminal(`cat ${quote(saved)} | ${quote(process.execPath)} ${quote(PROGRAM)} trace -f -`);
    await until(/6 events · trace complete/);
    press('Down', 'q');
    await until(/^exit code 0$/m);
  });
});

/** Starts the command against a fake proxy; `DATA` among the arguments is its data port. */
async function open(options: FakeProxyOptions, ...args: readonly string[]): Promise<void> {
  proxy = await startFakeProxy(options);
  const typed = args.map((arg) => quote(arg === 'DATA' ? String(proxy.dataPort) : arg)).join(' ');
  const command = `${quote(process.execPath)} ${quote(PROGRAM)} proxy trace --proxy-admin-port ${proxy.adminPort} ${typed}`;
  runInTerminal(`sh -c ${quote(`echo $$ >${quote(pidFile)}; exec ${command}`)}`);
}

/** Runs a command in a terminal of 100 by 40 that stays when it ends, and says how it ended. */
function runInTerminal(command: string): void {
  socket = `trace-view-${process.pid}-${proxy.adminPort}`;
  const script = `${command}; echo "exit code $?"; read -r _`;
  execFileSync('tmux', [
    '-L',
    socket,
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-s',
    'it',
    '-x',
    '100',
    '-y',
    '40',
    script,
  ]);
}

async function close(): Promise<void> {
  spawnSync('tmux', ['-L', socket, 'kill-server']);
  await proxy.close();
}

function tmux(...args: readonly string[]): string {
  return execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
}

function press(...keys: readonly string[]): void {
  tmux('send-keys', '-t', 'it', ...keys);
}

function screen(): string {
  return tmux('capture-pane', '-p', '-t', 'it');
}

/** Looks at the screen until it shows the pattern; fails with the whole screen when it never does. */
async function until(pattern: RegExp): Promise<void> {
  await expect.poll(screen, PATIENCE).toMatch(pattern);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
