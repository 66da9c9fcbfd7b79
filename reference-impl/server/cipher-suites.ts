import type { SecureContextOptions } from 'node:tls';
import type { FrontendTLS } from '../resources/proxy-policy/fields/frontend-tls.ts';
import type { KeyExchangeGroup } from '../resources/proxy-policy/fields/key-exchange-group.ts';

/** Versions, suites and groups as OpenSSL is told about them (TLSF-004 to TLSF-009). What is unset allows all that the documents name. */
export function handshakeOptions({
  minProtocolVersion: min = '1.2',
  maxProtocolVersion = '1.3',
  cipherSuites = [],
  keyExchangeGroups = [],
}: FrontendTLS): SecureContextOptions {
  const suites = cipherSuites.length === 0 ? Object.values(SUITES) : cipherSuites.map((suite) => SUITES[suite]);
  const groups = keyExchangeGroups.length === 0 ? Object.values(GROUPS) : keyExchangeGroups.map((name) => GROUPS[name]);
  // TLSF-006: a version of TLS none of whose suites is listed is not spoken. OpenSSL is told of suites of 1.3 apart, and has its own where it is told of none.
  const max = suites.some((suite) => suite.startsWith('TLS_')) ? maxProtocolVersion : '1.2';
  return {
    // TLSF-008: nothing older than 1.2 can be written.
    minVersion: `TLSv${min}`,
    maxVersion: `TLSv${max}`,
    ciphers: suites.join(':'),
    honorCipherOrder: true,
    ecdhCurve: groups.join(':'),
  };
}

type CipherSuite = NonNullable<FrontendTLS['cipherSuites']>[number];

/** The names of OpenSSL, best first. */
const SUITES: Readonly<Record<CipherSuite, string>> = {
  TLS13_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS13_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS13_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
};

const GROUPS: Readonly<Record<KeyExchangeGroup, string>> = {
  X25519_MLKEM768: 'X25519MLKEM768',
  X25519: 'X25519',
  'P-256': 'P-256',
  'P-384': 'P-384',
};
