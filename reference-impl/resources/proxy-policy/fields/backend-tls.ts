import { z } from 'zod';
import { atMostOne, rule } from '../../groups.ts';
import { localObjectReference, localSecretObjectRef } from '../../references.ts';
import { listOf, sectionName, shortString, tinyString } from '../../scalars.ts';
import { keyExchangeGroup } from './key-exchange-group.ts';

const settings = z.strictObject({
  mtlsCertificateRef: listOf(localSecretObjectRef, 0, 1).exactOptional(),
  caCertificateRefs: listOf(localObjectReference, 0, 1).exactOptional(),
  insecureSkipVerify: z.enum(['All', 'Hostname']).exactOptional(),
  /** A lowercase DNS name has the shape of a section name (ADMIT-097). */
  sni: sectionName.exactOptional(),
  verifySubjectAltNames: listOf(shortString, 1, 16).exactOptional(),
  alpnProtocols: listOf(tinyString, 1, 16).exactOptional(),
  keyExchangeGroups: z.array(keyExchangeGroup).exactOptional(),
});

export const backendTls = rule(
  atMostOne(settings, 'ADMIT-095', 'verifySubjectAltNames', 'insecureSkipVerify'),
  'VERSION-008',
  (tls) => tls['insecureSkipVerify'] !== 'All' || tls['caCertificateRefs'] === undefined,
  'caCertificateRefs has no meaning when insecureSkipVerify is All',
);

export type BackendTLS = z.infer<typeof backendTls>;
