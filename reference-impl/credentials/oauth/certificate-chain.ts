import { createHash, X509Certificate } from 'node:crypto';
import { refuseToSend } from '../refuse-to-send.ts';

/** The certificates of a PEM text, leaf first. Throws backendAuthenticationFailed for a text without any, or with a broken one. */
export function certificateChain(pem: string, whose: string): readonly [X509Certificate, ...X509Certificate[]] {
  const [leaf, ...others] = (pem.match(BLOCK) ?? []).map((block) => parse(block, whose));
  return leaf === undefined ? refuseToSend(`${whose} holds no certificate in PEM`) : [leaf, ...others];
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function parse(block: string, whose: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch {
    return refuseToSend(`${whose} holds a broken certificate`);
  }
}

/** How the header of an assertion names the certificate of its key. */
export function certificateHeader(
  kind: 'x5c' | 'x5t#S256',
  chain: readonly [X509Certificate, ...X509Certificate[]],
): Readonly<Record<string, string | readonly string[]>> {
  // OAUTH-026: RFC 7515, section 4.1.6: base64, not base64url.
  if (kind === 'x5c') return { x5c: chain.map(({ raw }) => raw.toString('base64')) };
  // OAUTH-027
  return { 'x5t#S256': createHash('sha256').update(chain[0].raw).digest('base64url') };
}
