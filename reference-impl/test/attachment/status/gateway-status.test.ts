import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildView } from '../../../attachment/view.ts';
import type { Resource } from '../../../resources/kinds.ts';
import { hasOpenssl, makeCertificate } from '../../support/certificates.ts';
import { gateway, resource, snapshotWith } from '../support/resources.ts';

// The reasons are those of the Gateway API: GatewayConditionReason, ListenerConditionReason, ListenerSetConditionReason, GatewayClassConditionReason.
const conditions = z.array(z.object({ type: z.string(), status: z.string(), reason: z.string() }));
const shape = z.object({
  conditions,
  listeners: z.array(z.object({ name: z.string(), conditions })).default([]),
  attachedListenerSets: z.number().optional(),
});

function statusOf(name: string, ...resources: readonly Resource[]): z.infer<typeof shape> | undefined {
  const found = buildView(snapshotWith(...resources))
    .status()
    .find((each) => each.name === name);
  return found && shape.parse(found.status);
}

/** As `Type=Status Reason`, of the types that are asked for. */
function said(
  told: { readonly conditions: z.infer<typeof conditions> } | undefined,
  ...types: readonly string[]
): readonly string[] {
  return (told?.conditions ?? [])
    .filter(({ type }) => types.includes(type))
    .map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

const parametersRef = { group: 'proxy.example', kind: 'ProxyParameters', name: 'p' };
const parameters = resource('ProxyParameters', 'p', { spec: {} });
const { certificate, key } = hasOpenssl ? makeCertificate('a.test') : { certificate: '', key: '' };
const secret = resource('Secret', 'cert', { stringData: { 'tls.crt': certificate, 'tls.key': key } });
const authority = resource('ConfigMap', 'ca', { data: { 'ca.crt': certificate } });
const https = (name: string, tls: object, more: object = {}): object => ({ name, protocol: 'HTTPS', tls, ...more });
const shown = { certificateRefs: [{ name: 'cert' }] };

describe('a GatewayClass', () => {
  test('of this controller is accepted', () => {
    expect(said(statusOf('c', ofClass({})), 'Accepted')).toEqual(['Accepted=True Accepted']);
  });

  test('of another controller is for that one to speak of', () => {
    expect(statusOf('c', ofClass({ controllerName: 'other.example/controller' }))).toBeUndefined();
  });

  test('whose parameters are not there is not accepted', () => {
    const named = ofClass({ parametersRef: { ...parametersRef, namespace: 'ns' } });
    expect(said(statusOf('c', named), 'Accepted')).toEqual(['Accepted=False InvalidParameters']);
    expect(said(statusOf('c', named, parameters), 'Accepted')).toEqual(['Accepted=True Accepted']);
  });
});

describe('a Gateway', () => {
  test.each([
    ['with a listener that is served', [{}], ['Accepted=True Accepted', 'Programmed=True Programmed']],
    [
      'with one listener of a protocol nobody serves, beside another',
      [{}, { name: 'other', port: 1, protocol: 'INVALID' }],
      ['Accepted=True ListenersNotValid', 'Programmed=True Programmed'],
    ],
    [
      'with no other listeners than such',
      [{ protocol: 'INVALID' }],
      ['Accepted=False ListenersNotValid', 'Programmed=False Invalid'],
    ],
  ])('%s', (_, listeners, expected) => {
    expect(said(statusOf('gw', gateway('gw', listeners)), 'Accepted', 'Programmed')).toEqual(expected);
  });

  test.each([
    ['of a kind that is unknown', { group: 'invalid.io', kind: 'InvalidParameters', name: 'p' }],
    ['that are not there', { ...parametersRef, name: 'none' }],
  ])('with parameters %s cannot be provisioned', (_, reference) => {
    const gw = gateway('gw', [{}], { infrastructure: { parametersRef: reference } });
    expect(said(statusOf('gw', gw, parameters), 'Accepted', 'Programmed')).toEqual([
      'Accepted=False InvalidParameters',
      'Programmed=False Invalid',
    ]);
  });

  test('with parameters that are there is accepted', () => {
    const gw = gateway('gw', [{}], { infrastructure: { parametersRef } });
    expect(said(statusOf('gw', gw, parameters), 'Accepted')).toEqual(['Accepted=True Accepted']);
  });

  test.each([
    ['AllowInsecureFallback', ['InsecureFrontendValidationMode=True ConfigurationChanged']],
    ['AllowValidOnly', []],
  ])('says that clients without a certificate are served: %s', (mode, expected) => {
    const validation = { caCertificateRefs: [{ kind: 'ConfigMap', name: 'ca' }], mode };
    const ofPort = gateway('gw', [{}], { tls: { frontend: { perPort: [{ port: 1, tls: { validation } }] } } });
    const ofAll = gateway('gw', [{}], { tls: { frontend: { default: { validation } } } });
    for (const gw of [ofPort, ofAll])
      expect(said(statusOf('gw', gw), 'InsecureFrontendValidationMode')).toEqual(expected);
  });
});

describe.skipIf(!hasOpenssl)('a listener for TLS', () => {
  const types = ['Accepted', 'Programmed', 'ResolvedRefs'];
  const listenerOf = (gw: Resource, ...more: readonly Resource[]): readonly string[] =>
    said(statusOf('gw', gw, ...more)?.listeners[0], ...types);

  test('without a certificate that it can show is not programmed', () => {
    const gw = gateway('gw', [https('l', shown)]);
    expect(listenerOf(gw)).toEqual([
      'Accepted=True Accepted',
      'Programmed=False Invalid',
      'ResolvedRefs=False InvalidCertificateRef',
    ]);
    expect(listenerOf(gw, secret)).toEqual([
      'Accepted=True Accepted',
      'Programmed=True Programmed',
      'ResolvedRefs=True ResolvedRefs',
    ]);
  });

  test.each([
    ['is not there', { name: 'none' }, 'InvalidCACertificateRef'],
    ['is of another kind', { kind: 'Service', name: 'ca' }, 'InvalidCACertificateKind'],
    ['is of a namespace that did not grant it', { name: 'ca', namespace: 'other' }, 'RefNotPermitted'],
  ])('is not accepted when its only authority of client certificates %s', (_, ref, reason) => {
    const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', ...ref }] };
    const gw = gateway('gw', [https('l', shown)], { tls: { frontend: { default: { validation } } } });
    expect(listenerOf(gw, secret, authority)).toEqual([
      'Accepted=False NoValidCACertificate',
      'Programmed=False Invalid',
      `ResolvedRefs=False ${reason}`,
    ]);
  });

  test('is accepted when one of its authorities is there', () => {
    const validation = { caCertificateRefs: [{ name: 'none' }, { name: 'ca' }] };
    const gw = gateway('gw', [https('l', shown)], { tls: { frontend: { default: { validation } } } });
    expect(listenerOf(gw, secret, authority)).toEqual([
      'Accepted=True Accepted',
      'Programmed=True Programmed',
      'ResolvedRefs=False InvalidCACertificateRef',
    ]);
  });
});

describe('a ListenerSet', () => {
  const own = { hostname: 'own.test' };
  const open = gateway('gw', [own], { allowedListeners: { namespaces: { from: 'Same' } } });

  test('that its Gateway does not allow is neither accepted nor programmed', () => {
    const all = [gateway('gw', [own]), set('s', { hostname: 's.test' })];
    expect(said(statusOf('s', ...all), 'Accepted', 'Programmed')).toEqual([
      'Accepted=False NotAllowed',
      'Programmed=False NotAllowed',
    ]);
    expect(statusOf('gw', ...all)?.attachedListenerSets).toBe(0);
  });

  test.each([
    ['with listeners that are served', [{}], ['Accepted=True Accepted', 'Programmed=True Programmed'], 1],
    [
      'one of whose listeners conflicts',
      [{}, { name: 'bad', ...own }],
      ['Accepted=True ListenersNotValid', 'Programmed=True Programmed'],
      1,
    ],
    [
      'all of whose listeners conflict',
      [own],
      ['Accepted=False ListenersNotValid', 'Programmed=False ListenersNotValid'],
      0,
    ],
    [
      'whose only certificate is not there',
      [https('l', shown, { port: 3001 })],
      ['Accepted=False ListenersNotValid', 'Programmed=False ListenersNotValid'],
      0,
    ],
  ])('%s', (_, listeners, expected, attached) => {
    const all = [open, set('s', ...listeners.map((each, index) => ({ hostname: `s${index}.test`, ...each })))];
    expect(said(statusOf('s', ...all), 'Accepted', 'Programmed')).toEqual(expected);
    expect(statusOf('gw', ...all)?.attachedListenerSets).toBe(attached);
  });

  test("a listener of UDP is in nobody's way", () => {
    const [udp] = statusOf('s', open, set('s', { protocol: 'UDP' }))?.listeners ?? [];
    expect(said(udp, 'Accepted', 'Conflicted')).toEqual([
      'Accepted=False UnsupportedProtocol',
      'Conflicted=False NoConflicts',
    ]);
  });

  test.each([
    ['HostnameConflict', own],
    ['ProtocolConflict', { protocol: 'HTTPS', hostname: 'x.test' }],
    ['ProtocolConflict', { protocol: 'TCP' }],
  ])('a listener with a %s gives it as the reason of everything that is not so', (reason, listener) => {
    const [bad] = statusOf('s', open, set('s', listener))?.listeners ?? [];
    expect(said(bad, 'Accepted', 'Conflicted', 'Programmed')).toEqual([
      `Accepted=False ${reason}`,
      `Conflicted=True ${reason}`,
      `Programmed=False ${reason}`,
    ]);
  });
});

function ofClass(spec: object): Resource {
  return resource('GatewayClass', 'c', { spec: { controllerName: 'proxy.example/controller', ...spec } });
}

function set(name: string, ...listeners: readonly object[]): Resource {
  const complete = listeners.map((each) => ({ name: 'l', port: 3000, protocol: 'HTTP', ...each }));
  return resource('ListenerSet', name, { spec: { parentRef: { name: 'gw' }, listeners: complete } });
}
