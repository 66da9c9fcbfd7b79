import { expect, test } from 'vitest';
import { describeToken, mintTokens } from '../../peers/mint-tokens.ts';
import { startPeers } from '../../peers/peers.ts';
import { tokensSchema } from '../../peers/token-schema.ts';

test('tokens are signed by the peer they name; texts and nothing stay what they are', async () => {
  const peers = await startPeers({ idp: { kind: 'idp', issuer: 'https://idp.test' }, up: { kind: 'http' } });
  try {
    const tokens = await mintTokens(
      { good: { by: 'idp', claims: { aud: 'api' }, alg: null }, bad: { literal: 'x' }, none: null },
      peers,
    );
    expect(tokens).toMatchObject({ bad: 'x', none: null });
    expect(describeToken(tokens['good'] ?? '')).toMatch(
      /^\{"alg":"ES256".*\} \{"iss":"https:\/\/idp.test".*"aud":"api"\}$/,
    );
    await expect(mintTokens({ t: { by: 'up' } }, peers)).rejects.toThrow(
      'peer up: a peer of kind http signs no tokens',
    );
    await expect(mintTokens({ t: { by: 'idp', key: 'k2' } }, peers)).rejects.toThrow('peer idp: no key k2');
    await expect(mintTokens({ t: { by: 'nobody' } }, peers)).rejects.toThrow('no peer nobody');
  } finally {
    await peers.stop();
  }
});

test.each([
  [{ good: { by: 'idp' } }, true],
  [{ good: { by: 'idp', claims: '${row.claims}', tamper: '${row.tamper}' } }, true],
  [{ good: '${row.token}' }, true],
  [{ good: null }, true],
  [{ good: 'not a placeholder' }, false],
  [{ good: { by: 'idp', claim: {} } }, false],
  [{ good: { by: 'idp', tamper: 'all' } }, false],
])('%j as tokens of a case: %s', (tokens, fits) => {
  expect(tokensSchema.safeParse(tokens).success).toBe(fits);
});

test.each(['not-a-token', 'a.b', 'AAAA.BBBB.CCCC', ''])('what is no token is shown as it is: %j', (text) => {
  expect(describeToken(text)).toBe(text);
});
