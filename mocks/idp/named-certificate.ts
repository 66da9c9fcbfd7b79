import { createHash, X509Certificate } from 'node:crypto';

type Header = Readonly<Record<string, unknown>>;

/**
 * Whether the header of an assertion (RFC 7515, sections 4.1.6 and 4.1.8) names the certificate that its client has: by
 * `x5c`, by `x5t#S256`, or by both. A client without a certificate names none.
 */
export function namesCertificate(header: Header, certificate: string | undefined): boolean {
  const [chain, thumbprint] = [header['x5c'], header['x5t#S256']];
  if (certificate === undefined) return chain === undefined && thumbprint === undefined;
  const { raw } = new X509Certificate(certificate);
  const wanted = createHash('sha256').update(raw).digest('base64url');
  if (chain === undefined) return thumbprint === wanted;
  return isChainOf(raw, chain) && (thumbprint === undefined || thumbprint === wanted);
}

/** The leaf first, and each one signed by the next. */
function isChainOf(leaf: Buffer, chain: unknown): boolean {
  if (!Array.isArray(chain)) return false;
  const certificates = chain.flatMap((text: unknown) => parse(text) ?? []);
  const isWhole = certificates.length === chain.length && certificates[0]?.raw.equals(leaf) === true;
  const signers = certificates.slice(1);
  return isWhole && signers.every((signer, index) => certificates[index]?.verify(signer.publicKey) === true);
}

/** DER in base64, not base64url; undefined for anything else. */
function parse(text: unknown): X509Certificate | undefined {
  if (typeof text !== 'string' || !BASE64.test(text)) return undefined;
  try {
    return new X509Certificate(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
