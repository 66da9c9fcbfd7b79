import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startInstance } from '../../sut/instance.ts';
import { loadManifest, parseManifest } from '../../sut/manifest.ts';
import { missingPrograms } from '../../sut/requirements.ts';
import { packageRoot } from '../../values/package-root.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'instance-test-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

test('an adapter whose program finds its port taken is started once more, and its words are in the message', async () => {
  const starts = path.join(folder, 'starts');
  const words = 'bind() to 127.0.0.1:26001 failed (98: Address already in use)';
  const adapter = await program(
    'taken.mjs',
    `import { appendFileSync } from 'node:fs';
    import { createInterface } from 'node:readline';
    const hello = { protocol: 1, implementation: { name: 'taken' } };
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { seq, cmd } = JSON.parse(line);
      const answer = { hello, start: { error: { message: 'it ended' } }, apply: { rejected: [{ resource: 'Zz x', message: 'unknown' }] } }[cmd];
      if (cmd === 'start') {
        appendFileSync(${JSON.stringify(starts)}, '+');
        console.error(${JSON.stringify(words)});
      }
      console.log(JSON.stringify({ seq, ...(answer ?? { unsupported: cmd }) }));
    });`,
  );
  const manifest = parseManifest(
    `contract: 1\nimplementation: { name: taken }\nrun: { kind: adapter }\nadapter: [${process.execPath}, ${adapter}]\n`,
    path.join(folder, 'implementation.yaml'),
  );
  await expect(startInstance(manifest)).rejects.toThrow(words);
  expect(await readFile(starts, 'utf8')).toBe('++');
});

test.skipIf(missingPrograms(['nginx', 'python3']).length > 0)(
  'the adapter of nginx waits for its workers, however long they take, before it hands over a configuration',
  async () => {
    await program(
      'nginx',
      '#!/bin/sh\ncase "$*" in *-t* | -v) ;; *) sleep 0.3 ;; esac\nPATH=${PATH#*:} exec nginx "$@"\n',
    );
    const manifest = loadManifest(path.join(packageRoot(), 'examples/nginx/implementation.yaml'));
    const slow = { ...manifest, extraEnv: { PATH: `${folder}${path.delimiter}${process.env['PATH'] ?? ''}` } };
    const instance = await startInstance(slow);
    await instance.stop();
    expect(instance.configuration.revision).toBe(1);
  },
);

async function program(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}
