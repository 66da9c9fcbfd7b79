import { Buffer } from 'node:buffer';
import type { PeerCertificate } from 'node:tls';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EffectiveBackend } from '../../attachment/policies/effective-policy.ts';
import type { PolicyReferences } from '../../attachment/view.ts';
import type { BackendTLS } from '../../resources/proxy-policy/fields/backend-tls.ts';
import { connection } from '../../upstream/connection.ts';
import { keyOf } from '../../upstream/pools.ts';
import { tlsOptions, tlsSettings, type TlsSettings } from '../../upstream/tls.ts';

const NAMED = { kind: 'tcp', host: 'shop.test', port: 443 } as const;
const NUMBERED = { kind: 'tcp', host: '127.0.0.1', port: 443 } as const;

function effective(tls: BackendTLS): EffectiveBackend {
  const source = { kind: 'ProxyPolicy', namespace: 'ns', name: 'p', level: 'gateway' } as const;
  return { tls, sources: { tls: [source] } };
}

function own<Value>(
  all: Readonly<Record<string, Value>> | undefined,
  name: string,
  namespace: string,
): Value | undefined {
  return namespace === 'ns' ? all?.[name] : undefined;
}

/** Objects of the namespace `ns`, where the policy stands. */
function references(objects: {
  readonly configMaps?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}): PolicyReferences {
  return {
    configMap: ({ name }, namespace) => {
      const data = own(objects.configMaps, name, namespace);
      return data && { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
    },
    secret: ({ name }, namespace) => {
      const stringData = own(objects.secrets, name, namespace);
      return stringData && { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData };
    },
    backend: () => ({ unresolved: 'backendNotFound', message: '' }),
    secretsByLabels: () => [],
    configMapsByLabels: () => [],
  };
}

function settings(tls: BackendTLS, objects: Parameters<typeof references>[0] = {}): TlsSettings {
  const made = tlsSettings(effective(tls), references(objects));
  if (made === undefined) throw new Error('there are settings');
  return made;
}

const SECRET = { 'tls.crt': 'certificate', 'tls.key': 'key' };

describe('what TLS settings refer to', () => {
  test('nothing is asked for, nothing is set', () => {
    expect(tlsSettings({ sources: {} }, references({}))).toBeUndefined();
    expect(settings({})).toMatchObject({ ca: undefined, client: undefined, unusable: undefined });
  });

  test('a ConfigMap goes before the authority of the client certificate', () => {
    const objects = { configMaps: { ca: { 'ca.crt': 'named' } }, secrets: { c: { ...SECRET, 'ca.cert': 'beside' } } };
    const mtlsCertificateRef = [{ name: 'c' }];
    expect(settings({ mtlsCertificateRef }, objects).ca).toBe('beside');
    expect(settings({ mtlsCertificateRef, caCertificateRefs: [{ name: 'ca' }] }, objects)).toMatchObject({
      ca: 'named',
      client: { certificate: 'certificate', key: 'key' },
    });
  });

  test.each<[BackendTLS, string]>([
    [{ caCertificateRefs: [{ name: 'none' }] }, 'ConfigMap ns/none has no ca.crt'],
    [{ caCertificateRefs: [{ name: 'empty' }] }, 'ConfigMap ns/empty has no ca.crt'],
    [{ mtlsCertificateRef: [{ name: 'none' }] }, 'Secret ns/none has no tls.crt'],
    [{ mtlsCertificateRef: [{ name: 'half' }] }, 'Secret ns/half has no tls.key'],
  ])('%o leads nowhere, and no connection is made without it', (tls, reason) => {
    const objects = { configMaps: { empty: {} }, secrets: { half: { 'tls.crt': 'certificate' } } };
    const broken = settings(tls, objects);
    expect(broken.unusable).toBe(reason);
    expect(() => tlsOptions(broken, NAMED)).toThrow(expect.objectContaining({ code: 'upstreamCallFailed' }));
  });

  test('what is no certificate is a failure of the call', () => {
    const broken = settings({ mtlsCertificateRef: [{ name: 'c' }] }, { secrets: { c: SECRET } });
    expect(() => tlsOptions(broken, NAMED)).toThrow(expect.objectContaining({ code: 'upstreamCallFailed' }));
  });
});

describe('connections are shared', () => {
  const objects = { configMaps: { ca: { 'ca.crt': 'one' } }, secrets: { c: SECRET } };
  const key = (tls: BackendTLS, given = objects): string => keyOf(connection(effective(tls), references(given)).dial);

  test('by those with the same settings, also of another configuration', () => {
    const tls = { caCertificateRefs: [{ name: 'ca' }], mtlsCertificateRef: [{ name: 'c' }] };
    expect(key(tls)).toBe(key({ ...tls }));
    expect(key(tls)).not.toContain('key');
  });

  test('by nobody whose certificates, names or checks are others', () => {
    const base = { caCertificateRefs: [{ name: 'ca' }] };
    const keys = [
      key(base),
      key(base, { ...objects, configMaps: { ca: { 'ca.crt': 'two' } } }),
      key({ ...base, sni: 'a.test' }),
      key({ ...base, verifySubjectAltNames: ['a.test'] }),
      key({ ...base, insecureSkipVerify: 'Hostname' }),
      key({ ...base, mtlsCertificateRef: [{ name: 'c' }] }),
      key(
        { ...base, mtlsCertificateRef: [{ name: 'c' }] },
        { ...objects, secrets: { c: { ...SECRET, 'tls.key': 'k' } } },
      ),
      key({ ...base, alpnProtocols: ['h2'] }),
      keyOf(connection({ sources: {} }, references({})).dial),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const NO_NAME = { C: '', ST: '', L: '', O: '', OU: '', CN: '' };
const NO_CERTIFICATE: PeerCertificate = {
  ca: false,
  raw: Buffer.alloc(0),
  subject: NO_NAME,
  issuer: NO_NAME,
  valid_from: '',
  valid_to: '',
  serialNumber: '',
  fingerprint: '',
  fingerprint256: '',
  fingerprint512: '',
};

describe('what is said and checked', () => {
  test.each([
    [{}, NAMED, 'shop.test'],
    [{}, NUMBERED, ''],
    [{ sni: 'other.test' }, NAMED, 'other.test'],
    [{ sni: 'other.test' }, NUMBERED, 'other.test'],
  ])('the server name of %o at %o', (tls, endpoint, name) => {
    expect(tlsOptions(settings(tls), endpoint).servername).toBe(name);
  });

  type Check = (subjectAltName: string) => boolean;
  const checker = (tls: BackendTLS): Check => {
    const check = tlsOptions(settings(tls), NAMED).checkServerIdentity;
    // Of a certificate, only its names are looked at.
    return (subjectaltname) => check?.('', { ...NO_CERTIFICATE, subjectaltname }) === undefined;
  };

  test.each<[BackendTLS, string, boolean]>([
    [{}, 'DNS:shop.test', true],
    [{ verifySubjectAltNames: ['a.shop.test'] }, 'DNS:*.shop.test', true],
    [{}, 'DNS:other.test', false],
    [{}, 'URI:shop.test', false],
    [{ sni: 'other.test' }, 'DNS:other.test', false],
    [{ insecureSkipVerify: 'Hostname' }, 'DNS:other.test', true],
    [{ verifySubjectAltNames: ['a.test', 'b.test'] }, 'DNS:b.test', true],
    [{ verifySubjectAltNames: ['a.test'] }, 'DNS:shop.test', false],
    [{ verifySubjectAltNames: ['10.0.0.1'] }, 'IP Address:10.0.0.1', true],
    [{ verifySubjectAltNames: ['spiffe://d/a'] }, 'DNS:x.test, URI:spiffe://d/a', true],
    [{ verifySubjectAltNames: ['spiffe://d/a'] }, 'URI:spiffe://d/ab', false],
    [{ verifySubjectAltNames: ['spiffe://d/a'] }, 'DNS:"x, URI:spiffe://d/a"', false],
    [{ verifySubjectAltNames: ['spiffe://d/a,b'] }, 'URI:"spiffe://d/a,b"', true],
  ])('%o accepts %s: %s', (tls, subjectAltName, accepted) => {
    expect(checker(tls)(subjectAltName)).toBe(accepted);
  });

  test('no list of names makes the check throw', () => {
    const part = fc.constantFrom(
      'DNS:',
      'URI:',
      'IP Address:',
      '"',
      '\\',
      ', ',
      ',',
      'spiffe://d/a',
      'x.test',
      '\\u',
      '*',
    );
    const names = checker({ verifySubjectAltNames: ['spiffe://d/a', 'x.test'] });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        expect(() => names(parts.join(''))).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });
});
