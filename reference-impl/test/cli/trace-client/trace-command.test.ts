import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { eventOf, type FakeProxy, type FakeProxyOptions, startFakeProxy, streamOf } from '../fake-proxy.ts';

const PROGRAM = join(import.meta.dirname, '../trace-program.ts');
const EVENTS = [eventOf({ type: 'requestStarted' }), eventOf({ type: 'requestFinished' }, 5)];
const LINES = EVENTS.map((event) => `${JSON.stringify(event)}\n`).join('');

// Every test starts a process or two, perhaps on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

let proxy: FakeProxy;

afterEach(() => proxy.close());

/** Runs the command as a process against the fake proxy. */
function run(...args: readonly string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const argv = [PROGRAM, 'proxy', 'trace', '--proxy-admin-port', String(proxy.adminPort), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, argv, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

async function start(options: FakeProxyOptions): Promise<void> {
  proxy = await startFakeProxy(options);
}

describe('watch', () => {
  test('--local --raw prints every payload unchanged on a line of its own (CLI-004, CLI-010)', async () => {
    await start({ trace: streamOf(EVENTS) });
    expect(await run('--local', '--raw')).toEqual({ code: 0, stdout: LINES, stderr: '' });
    expect(proxy.adminRequests).toEqual(['POST /debug/trace']);
  });

  test('gateway/NAME asks for that gateway only (CLI-006, CLI-031)', async () => {
    await start({ trace: streamOf(EVENTS) });
    expect(await run('gateway/gw', '--raw', '--expression', 'request.path == "/a+b"')).toMatchObject({ code: 0 });
    expect(proxy.adminRequests).toEqual([
      'GET /config_dump',
      'POST /debug/trace?expression=request.path+%3D%3D+%22%2Fa%2Bb%22&gateway=default%2Fgw',
    ]);
  });

  test('an unknown gateway is an error that lists the known ones', async () => {
    await start({ trace: streamOf(EVENTS) });
    expect(await run('gateway/nope', '--raw')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: gateway/nope not found; the proxy serves: gateway/gw.default\n',
    });
  });

  test('a stream that ends too early is told, one that breaks off is an error', async () => {
    await start({ trace: streamOf(EVENTS.slice(0, 1)) });
    const early = await run('--local', '--raw');
    expect(early).toMatchObject({ code: 0, stderr: 'the stream ended before the trace was complete\n' });
    await proxy.close();

    await start({
      trace: (response) => {
        response.writeHead(200).write(`data: ${JSON.stringify(EVENTS[0])}\n\n`, () => {
          response.destroy();
        });
      },
    });
    const broken = await run('--local', '--raw');
    expect(broken.code).toBe(1);
    expect(broken.stderr).toMatch(/^error: failed to read trace stream: /);
  });

  test('what the endpoint answers instead of a stream is shown', async () => {
    await start({
      trace: (response) => {
        response.writeHead(400).end('invalid expression: no\n');
      },
    });
    expect(await run('--local', '--raw')).toMatchObject({
      code: 1,
      stderr: 'error: trace stream returned 400: invalid expression: no\n',
    });
  });

  test('nobody listens on the admin port', async () => {
    await start({ trace: streamOf([]) });
    // The port of a server that has just ended may be somebody else's by now.
    const { code, stderr } = await run('--local', '--raw', '--proxy-admin-port', '1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: failed to open trace stream: connect ECONNREFUSED/);
  });

  test('a reader that has seen enough ends the command', async () => {
    await start({ trace: endless });
    const argv = [PROGRAM, 'trace', '--local', '--raw', '--proxy-admin-port', String(proxy.adminPort)];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.once('data', () => {
      child.stdout.destroy();
    });
    const code = await new Promise((resolve) => {
      child.once('exit', resolve);
    });
    expect(code).toBe(0);
  });

  test('without --raw a terminal is needed (CLI-013)', async () => {
    await start({ trace: streamOf(EVENTS) });
    expect(await run('--local')).toMatchObject({
      code: 1,
      stderr: 'error: standard output is not a terminal: use --raw\n',
    });
  });
});

describe('inject', () => {
  test('the request is sent when the trace is armed, as it was written, to 127.0.0.1 (CLI-011..020)', async () => {
    await start({ trace: streamOf(EVENTS, (dataRequest) => dataRequest) });
    const port = String(proxy.dataPort);
    const url = 'http://no-such-host.invalid:81/a/../b?q';
    const result = await run('--local', '--raw', '--port', port, '--', url, '-X', 'PUT', '-H', 'X-A: 1', '-d', 'x=1');
    expect(result).toEqual({ code: 0, stdout: LINES, stderr: '' });

    const [seen] = proxy.dataRequests;
    expect(seen).toMatchObject({ line: 'PUT /a/../b?q', body: 'x=1' });
    expect(seen?.rawHeaders.slice(0, 2)).toEqual(['Host', 'no-such-host.invalid:81']);
    expect(seen?.rawHeaders).toEqual(expect.arrayContaining(['X-A', 'Content-Length']));
    // CLI-029: the trace is asked for by the connection the request then uses.
    expect(proxy.adminRequests).toEqual([`POST /debug/trace?source-port=${seen?.sourcePort}`]);
  });

  test('a status that is an error is no failure of the client', async () => {
    await start({
      trace: streamOf(EVENTS, (dataRequest) => dataRequest),
      data: (_request, response) => {
        response.writeHead(503).end();
      },
    });
    expect(await run('gateway/gw', '--raw', '--port', String(proxy.dataPort), '--', 'http://a.test/')).toMatchObject({
      code: 0,
      stdout: LINES,
    });
  });

  test('a request that breaks off: its trace is still shown, then the error', async () => {
    await start({
      trace: streamOf(EVENTS, (dataRequest) => dataRequest),
      data: (request) => {
        request.socket.destroy();
      },
    });
    const { code, stdout, stderr } = await run(
      '--local',
      '--raw',
      '--port',
      String(proxy.dataPort),
      '--',
      'http://a.test/',
    );
    expect(code).toBe(1);
    expect(stdout).toBe(LINES);
    expect(stderr).toMatch(/^error: failed to execute traced request: socket hang up/);
  });

  test('a request that was answered but never traced does not wait for ever', async () => {
    await start({ trace: streamOf(EVENTS, () => new Promise(() => {})) });
    const { code, stderr } = await run('--local', '--raw', '--port', String(proxy.dataPort), '--', 'http://a.test/');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: the request was answered but not traced/);
  });

  test('nobody listens on the data port', async () => {
    await start({ trace: streamOf(EVENTS) });
    const { code, stderr } = await run('--local', '--raw', '--port', '1', '--', 'http://a.test/');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: failed to execute traced request: connect ECONNREFUSED 127.0.0.1:1/);
  });

  test('a port the gateway does not listen on', async () => {
    await start({ trace: streamOf(EVENTS) });
    const { code, stderr } = await run('gateway/gw', '--raw', '--port', '1', '--', 'http://a.test/');
    expect(code).toBe(1);
    expect(stderr).toBe(`error: gateway/gw has no listener on port 1, only on ${proxy.dataPort}\n`);
  });
});

describe('replay', () => {
  test('a missing file', async () => {
    await start({ trace: streamOf([]) });
    const { code, stderr } = await runAlone('-f', '/no/such/file', '--raw');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: failed to read \/no\/such\/file: ENOENT/);
  });

  test('reads back what --raw printed, and what the server streams', async () => {
    await start({ trace: streamOf([]) });
    const child = spawn(process.execPath, [PROGRAM, 'trace', '-f', '-', '--raw'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(`: ready\n\ndata: ${JSON.stringify(EVENTS[0])}\n\n${JSON.stringify(EVENTS[1])}\n`);
    let stdout = '';
    for await (const chunk of child.stdout) stdout += String(chunk);
    expect(stdout).toBe(LINES);
  });
});

function runAlone(...args: readonly string[]): ReturnType<typeof run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, 'trace', ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

/** A server that never stops writing events. */
const endless: FakeProxyOptions['trace'] = (response) => {
  response.writeHead(200);
  const more = (): void => {
    if (!response.destroyed) response.write(`data: ${JSON.stringify(EVENTS[0])}\n\n`, () => setImmediate(more));
  };
  more();
};
