import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../exchange/exchange.ts';

/**
 * What a client proved about itself with its certificate; undefined when it showed none, or one that nobody vouches for: expressions
 * must not take for an identity what anybody can write into a certificate. docs/decisions/frontend-tls.md
 */
export function clientCertificate(socket: TLSSocket): ClientCertificate | undefined {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  if (certificate === undefined) return undefined;
  const peer = socket.getPeerCertificate();
  const subjectAltNames = alternativeNames(peer);
  const spiffeId = subjectAltNames.find((name) => name.startsWith('spiffe://'));
  const identity = spiffeId === undefined ? undefined : workloadOf(spiffeId);
  return {
    certificate: certificate.toString(),
    subject: inOneLine(certificate.subject),
    issuer: inOneLine(certificate.issuer),
    subjectAltNames,
    ...(typeof peer.subject?.CN === 'string' && { subjectCn: peer.subject.CN }),
    ...(spiffeId !== undefined && { spiffeId }),
    ...(identity !== undefined && { identity }),
  };
}

/** `spiffe://<trust domain>/ns/<namespace>/sa/<service account>` */
function workloadOf(spiffeId: string): ClientCertificate['identity'] {
  const found = /^spiffe:\/\/([^/]+)\/ns\/([^/]+)\/sa\/([^/]+)$/.exec(spiffeId);
  if (found === null) return undefined;
  const [, trustDomain = '', namespace = '', serviceAccount = ''] = found;
  return { trustDomain, namespace, serviceAccount };
}

/** One attribute after the other as they stand in the certificate, `CN=a, O=b`. */
function inOneLine(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ');
}

/** Values with a comma or a quote in them come quoted. */
function alternativeNames({ subjectaltname = '' }: PeerCertificate): readonly string[] {
  const names = subjectaltname.matchAll(/(?:^|, )(?:DNS|IP Address|URI|email):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...names].map(([, text = '']) => (text.startsWith('"') ? String(JSON.parse(text)) : text));
}
