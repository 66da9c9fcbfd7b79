import { z } from 'zod';
import { atMostOne, rule } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { localObjectReference, localSecretObjectRef } from '../../references.ts';
import { listOf, sectionName, shortString, tinyString } from '../../scalars.ts';
import { keyExchangeGroup } from './key-exchange-group.ts';

/** A ConfigMap, in so many words or because nothing else is said. */
const configMapReference = rule(
  localObjectReference,
  'ADMIT-096',
  (ref) => (ref['kind'] ?? 'ConfigMap') === 'ConfigMap' && (ref['group'] ?? '') === '',
  'the reference must name a ConfigMap',
  "(!has(self.kind) || self.kind == 'ConfigMap') && (!has(self.group) || self.group == '')",
);

const settings = described(
  z.strictObject({
    /** A Secret with tls.key and tls.crt, and ca.cert if it likes. */
    mtlsCertificateRef: noted(listOf(localSecretObjectRef, 0, 1), {
      clause: 'ADMIT-096',
      defaultText: 'none',
    }).exactOptional(),
    caCertificateRefs: noted(listOf(configMapReference, 0, 1), {
      clause: 'ADMIT-096',
      defaultText: 'ca.cert of the client certificate, else those of the system',
    }).exactOptional(),
    insecureSkipVerify: noted(z.enum(['All', 'Hostname']), { clause: 'ADMIT-165' }).exactOptional(),
    /** A lowercase DNS name has the shape of a section name (ADMIT-097). */
    sni: noted(sectionName, { clause: 'ADMIT-097', defaultText: 'the host it goes to' }).exactOptional(),
    verifySubjectAltNames: noted(listOf(shortString, 1, 16), {
      clause: 'LIMIT-034',
      defaultText: 'the host it goes to',
    }).exactOptional(),
    alpnProtocols: noted(listOf(tinyString, 1, 16), {
      clause: 'LIMIT-035',
      default: ['h2', 'http/1.1'],
    }).exactOptional(),
    keyExchangeGroups: z.array(keyExchangeGroup).exactOptional(),
  }),
  {
    mtlsCertificateRef: 'Secret with tls.key, tls.crt, perhaps ca.cert; at most one.',
    caCertificateRefs: 'ConfigMap with authorities; at most one.',
    insecureSkipVerify: 'Checks to leave out: All, or of the host name.',
    sni: 'Name to ask for, in lower case.',
    verifySubjectAltNames: '1 to 16 names; the certificate must have one.',
    alpnProtocols: '1 to 16 protocols offered.',
    keyExchangeGroups: 'Groups for key exchange, in order.',
  },
);

/** How the certificate of the destination is checked, and which one the proxy shows (ADMIT-095 to ADMIT-097). */
export const backendTls = rule(
  atMostOne(settings, 'ADMIT-095', 'verifySubjectAltNames', 'insecureSkipVerify'),
  'VERSION-008',
  (tls) => tls['insecureSkipVerify'] !== 'All' || tls['caCertificateRefs'] === undefined,
  'caCertificateRefs has no meaning when insecureSkipVerify is All',
  "!has(self.insecureSkipVerify) || self.insecureSkipVerify != 'All' || !has(self.caCertificateRefs)",
);

export type BackendTLS = z.infer<typeof backendTls>;
