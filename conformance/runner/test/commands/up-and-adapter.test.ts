import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { collect, tinyManifest } from '../support/conform.ts';

const support = path.join(import.meta.dirname, '../support');
const adapter = path.join(support, 'scripted-adapter.ts');

describe('conform adapter check', { timeout: 30_000 }, () => {
  test.each([
    ['good', 0, /^scripted : operations echo\nthe adapter follows the protocol\n$/],
    ['liar', 1, /answered \{.*\} to a random command/],
  ])('of a %s adapter exits with %d', async (mode, code, text) => {
    const ended = await collect(['adapter', 'check', '--', process.execPath, adapter, mode]);
    expect(ended.stdout).toMatch(text);
    expect(ended.code).toBe(code);
  });

  test('of a program that is no adapter exits with 3, and of nothing with 2', async () => {
    const silent = await collect(['adapter', 'check', '--', process.execPath, '-e', 'process.exit(4)']);
    expect([silent.code, silent.stderr]).toEqual([3, 'the adapter exited with code 4\n']);
    const nothing = await collect(['adapter', 'check']);
    expect([nothing.code, nothing.stderr]).toEqual([2, 'give either a command after -- or --impl FILE\n']);
  });
});

describe('conform up', { timeout: 30_000 }, () => {
  test('keeps a case running, prints curl commands and what arrives, and ends with Ctrl-C', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'conform-up-'));
    const manifest = path.join(folder, 'implementation.yaml');
    await writeFile(manifest, tinyManifest('none'));
    let asked = false;
    let body = '';
    const flags = ['up', 'simple.route[one]', '--impl', manifest, '--cases', path.join(support, 'cases/good')];
    const ended = await collect(flags, (stdout, kill) => {
      const [, host, url] = /-H 'Host: ([^']+)' .*'(http:[^']+)'/.exec(stdout) ?? [];
      if (!asked && host !== undefined && url !== undefined && stdout.includes('Ctrl-C stops everything.')) {
        asked = true;
        get(url, { headers: { host } }, (answer) => {
          answer.setEncoding('utf8').on('data', (text: string) => (body += text));
          answer.once('end', () => kill('SIGINT'));
        });
      }
    });
    await rm(folder, { recursive: true });
    expect(ended.stdout).toMatch(
      /config accepted\ncurl -iNg .* -X POST .*--data-binary 'ping' 'http:\/\/127\.0\.0\.1:\d+\/x\?y=1'\n/,
    );
    expect(ended.stdout).toContain('"target":"/x?y=1"');
    expect(body).toBe('hello');
    expect(ended.code).toBe(0);
  });
});
