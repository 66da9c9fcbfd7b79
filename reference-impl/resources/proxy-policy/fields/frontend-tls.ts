import { z } from 'zod';
import { durationFrom, listOf, tinyString } from '../../scalars.ts';
import { keyExchangeGroup } from './key-exchange-group.ts';

const protocolVersion = z.enum(['1.2', '1.3']);

const cipherSuite = z.enum([
  'TLS13_AES_256_GCM_SHA384',
  'TLS13_AES_128_GCM_SHA256',
  'TLS13_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
]);

export const frontendTls = z.strictObject({
  handshakeTimeout: durationFrom(100).exactOptional(),
  alpnProtocols: listOf(tinyString, 1, 16).exactOptional(),
  minProtocolVersion: protocolVersion.exactOptional(),
  maxProtocolVersion: protocolVersion.exactOptional(),
  cipherSuites: z.array(cipherSuite).exactOptional(),
  keyExchangeGroups: z.array(keyExchangeGroup).exactOptional(),
});

export type FrontendTLS = z.infer<typeof frontendTls>;
