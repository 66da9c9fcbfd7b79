import { z } from 'zod';
import { rule } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { durationFrom, listOf, tinyString } from '../../scalars.ts';
import { keyExchangeGroup } from './key-exchange-group.ts';

const protocolVersion = noted(z.enum(['1.2', '1.3']), { clause: 'ADMIT-079' });

const cipherSuite = noted(
  z.enum([
    'TLS13_AES_256_GCM_SHA384',
    'TLS13_AES_128_GCM_SHA256',
    'TLS13_CHACHA20_POLY1305_SHA256',
    'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
    'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  ]),
  { clause: 'ADMIT-080' },
);

/** `handshakeTimeout`: at least 100ms (TLSF-002). The versions must leave one to speak. */
export const frontendTls = rule(
  described(
    z.strictObject({
      handshakeTimeout: noted(durationFrom(100), { default: '15s' }).exactOptional(),
      alpnProtocols: noted(listOf(tinyString, 1, 16), { clause: 'LIMIT-028' }).exactOptional(),
      minProtocolVersion: protocolVersion.exactOptional(),
      maxProtocolVersion: protocolVersion.exactOptional(),
      cipherSuites: z.array(cipherSuite).exactOptional(),
      keyExchangeGroups: z.array(keyExchangeGroup).exactOptional(),
    }),
    {
      handshakeTimeout: 'Deadline for the handshake, at least 100ms.',
      alpnProtocols: '1 to 16 protocols offered.',
      minProtocolVersion: 'Oldest TLS version taken.',
      maxProtocolVersion: 'Newest TLS version taken.',
      cipherSuites: 'Cipher suites taken.',
      keyExchangeGroups: 'Groups for key exchange, in order.',
    },
  ),
  'ADMIT-079',
  ({ minProtocolVersion: min, maxProtocolVersion: max }) => min !== '1.3' || max !== '1.2',
  'minProtocolVersion must not be later than maxProtocolVersion',
  '!has(self.minProtocolVersion) || !has(self.maxProtocolVersion) || self.minProtocolVersion <= self.maxProtocolVersion',
);

export type FrontendTLS = z.infer<typeof frontendTls>;
