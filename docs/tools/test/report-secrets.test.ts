import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SignJWT } from 'jose';
import { afterEach, expect, test } from 'vitest';
import { START_ROOM } from '../../../conformance/runner/values/start-room.ts';
import { lendKeys } from '../../../mocks/lent-tokens.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });
const sec1 = privateKey.export({ type: 'sec1', format: 'pem' });
const token = await new SignJWT({ sub: 'a' }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);

test.each([
  ['a signed token', `{"head":"Authorization: Bearer ${token}"}`],
  ['a private key', JSON.stringify(pem)],
  ['a private key', JSON.stringify(sec1)],
  ['a private key in base64', btoa(pem)],
  ['a private key in base64', btoa(String(rsa))],
  ['a private key in base64', btoa(String(sec1))],
  ['a key that cloud A lent', lendKeys({ role: 'r' }).accessKey],
])('%s in a report is found, and not said again', (what, text) => {
  const { status, output } = check({ 'report.json': '{}', 'events.ndjson': `{}\n${text}\n` });
  expect(output).toContain(`events.ndjson: ${what} at byte`);
  expect(output).not.toContain(text);
  expect(status).toBe(1);
});

test('public keys, digests and base64 of other things are no secrets', () => {
  const plain = `-----BEGIN PUBLIC KEY----- ${'a1'.repeat(32)} ${btoa('{"type":"message_start"}')} ASIA`;
  expect(check({ 'report.json': plain })).toMatchObject({ status: 0 });
});

test(
  'neither a run whose evidence is kept nor one with red cases leaves a credential in its reports',
  { timeout: 120_000 },
  () => {
    // Each kind of key that is made, once: what is signed with it, and with which digest, leaves no other shape.
    const suites = [
      'backend.jwt-sign.keys[rsa]',
      'backend.jwt-sign.keys[ec]',
      'backend.oauth-token-exchange.private-key[rs256]',
      'backend.oauth-token-exchange.private-key-ec[es256]',
      'backend.cloud-a.session-token',
    ];
    const files = [['--evidence'], ['--provisional', '--impl', 'conformance/gallery/nulls/always-200.yaml']].map(
      (more) => {
        const folder = mkdtempSync(path.join(tmpdir(), 'report-secrets-'));
        folders.push(folder);
        spawnSync(process.execPath, [...START_ROOM, 'bin/conform.mjs', 'run', ...suites, ...more, '--out', folder], {
          encoding: 'utf8',
        });
        const { status, output } = look(folder);
        expect({ status, output }).toMatchObject({ status: 0 });
        return Number(/secrets: (\d+) files/.exec(output)?.[1]);
      },
    );
    // Configurations and texts of the cases are among them.
    expect(Math.min(...files)).toBeGreaterThan(8);
  },
);

test('a folder without files proves nothing', () => {
  expect(check({})).toMatchObject({ status: 1 });
});

function check(files: Readonly<Record<string, string>>): { status: number | null; output: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'report-secrets-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return look(folder);
}

function look(folder: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['docs/tools/check-report-secrets.ts', folder], {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}
