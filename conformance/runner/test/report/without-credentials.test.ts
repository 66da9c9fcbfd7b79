import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { withoutCredentials } from '../../report/without-credentials.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const OTHER = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' });
const MARK = /^\(private key left out, sha256 [\da-f]{12}\)$/;

test('the claims of a token stay, its signature goes', async () => {
  const token = await new SignJWT({ sub: 'ada' }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  const [header, claims] = token.split('.');
  expect(withoutCredentials(`authorization: Bearer ${token}, then`)).toBe(
    `authorization: Bearer ${header}.${claims}.(signature left out), then`,
  );
});

test('the same key has the same mark in text, JSON, JSON inside JSON and YAML, another key another one', () => {
  const inText = withoutCredentials(PEM.trim());
  expect(inText).toMatch(MARK);
  const inJson: unknown = JSON.parse(withoutCredentials(JSON.stringify(PEM.trim())));
  expect(inJson).toBe(inText);
  const twice: unknown = JSON.parse(withoutCredentials(JSON.stringify(JSON.stringify({ key: PEM.trim() }))));
  expect(twice).toBe(JSON.stringify({ key: inText }));
  expect(withoutCredentials(stringify({ data: { key: PEM } }))).toContain(inText);
  const both = withoutCredentials(`${PEM} and ${String(OTHER)}`).split(' and ');
  expect(both[0]?.trim()).toBe(inText);
  expect(both[1]?.trim()).toMatch(MARK);
  expect(both[1]?.trim()).not.toBe(inText);
});

test('of a key that was cut off nothing stays, and what is around it does', () => {
  const cut = PEM.slice(0, 120);
  const around = withoutCredentials(`a ${JSON.stringify(cut).slice(1, -1)}… and ${PEM.trim()}, b`);
  expect(around).toMatch(/^a \(private key left out, [^)]*\)… and \(private key left out, [^)]*\), b$/);
  expect(withoutCredentials(`a ${cut}… b`)).toMatch(/^a \(private key left out, [^)]*\)… b$/);
});

test('keys in base64 and lent keys go too', () => {
  expect(withoutCredentials(`key: ${btoa(PEM)}`)).toMatch(/^key: \(private key in base64 left out, sha256 \w{12}\)$/);
  expect(withoutCredentials('Credential=ASIA0123456789ABCDEF/2026')).toMatch(
    /^Credential=\(key of cloud A left out, .*\)\/2026$/,
  );
});

test('public keys, unsigned tokens and other text stay as they are', () => {
  const plain = `${publicKey.export({ type: 'spki', format: 'pem' }).toString()} eyJhIjoxfQ.eyJiIjoyfQ. {"type":"x"} ASIA`;
  expect(withoutCredentials(plain)).toBe(plain);
});
