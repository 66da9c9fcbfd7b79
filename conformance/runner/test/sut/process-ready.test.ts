import { expect, test } from 'vitest';
import { startProcessSession } from '../../sut/adapters/process.ts';
import { parseManifest } from '../../sut/manifest.ts';

/** Prints a line when it listens, and answers one path with 200. */
const PROGRAM = `require('http').createServer((asked, answer) => answer.writeHead(asked.url === '/healthz' ? 200 : 404).end())
  .listen(Number(process.argv[1]), '127.0.0.1', () => console.log('it listens'))`;

test.each([
  ["line: '^it listens'", undefined],
  ['http: GET /healthz', undefined],
  ["line: '^never'", /printed no line like \/\^never\/ within 300 ms/],
  ['http: GET /other', /did not answer GET \/other within 300 ms/],
])('ready: {%s} %s', { timeout: 30_000 }, async (ready, failure) => {
  const command = JSON.stringify([process.execPath, '-e', PROGRAM, '{{port.data}}']);
  const within = failure === undefined ? '20s' : '300ms';
  const text = `contract: 1
implementation: {name: tiny}
run: {kind: process, command: ${command}, ready: {within: ${within}, ${ready}}}
`;
  const manifest = parseManifest(text, 'implementation.yaml');
  if (manifest.run.kind !== 'process') throw new Error('no program');
  const started = startProcessSession(manifest, manifest.run);
  if (failure === undefined) {
    const session = await started;
    expect(session.crashed()).toBeUndefined();
    await session.stop();
  } else await expect(started).rejects.toThrow(failure);
});

test.each([
  ['directory', "'{{dir}}/watched/here'"],
  ['file', "'{{dir}}/watched/here/all.yaml'"],
])(
  'a program finds the folder of a configuration that is delivered as a %s',
  { timeout: 30_000 },
  async (how, place) => {
    const program = `require('fs').readdirSync(process.argv[1]); console.log('it is there'); setInterval(() => {}, 1e6)`;
    const text = `contract: 1
implementation: {name: tiny}
run:
  kind: process
  command: ${JSON.stringify([process.execPath, '-e', program, '{{dir}}/watched/here'])}
  config: {deliver: ${how}, path: ${place}, reload: restart}
  ready: {within: 20s, line: '^it is there'}
`;
    const manifest = parseManifest(text, 'implementation.yaml');
    if (manifest.run.kind !== 'process') throw new Error('no program');
    const session = await startProcessSession(manifest, manifest.run);
    expect(session.crashed()).toBeUndefined();
    await session.stop();
  },
);

test.each(['directory', 'file'])('a folder that cannot be made for a %s is a fault that says so', async (how) => {
  const text = `contract: 1
implementation: {name: tiny}
run:
  kind: process
  command: [sleep, '60']
  config: {deliver: ${how}, path: /proc/nope/conf/x, reload: watch}
`;
  const manifest = parseManifest(text, 'implementation.yaml');
  if (manifest.run.kind !== 'process') throw new Error('no program');
  await expect(startProcessSession(manifest, manifest.run)).rejects.toThrow(
    'run.config.path /proc/nope/conf/x: its folder cannot be made (ENOENT)',
  );
});
