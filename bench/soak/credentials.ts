import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** A key set and a token it vouches for, good for a day. */
export async function credentials(): Promise<{ token: string; keySet: string }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'soak', alg: 'ES256', use: 'sig' };
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: 'soak' })
    .setIssuer('https://soak.test')
    .setExpirationTime('1d')
    .sign(privateKey);
  return { token, keySet: JSON.stringify({ keys: [jwk] }) };
}
