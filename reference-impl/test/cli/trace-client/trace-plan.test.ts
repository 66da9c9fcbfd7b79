import { describe, expect, test } from 'vitest';
import { selectGateway } from '../../../cli/trace-client/gateway-resource.ts';
import { createPayloadReader, payloadType } from '../../../cli/trace-client/payloads.ts';
import { TraceFailure } from '../../../cli/trace-client/trace-failure.ts';
import { planTrace, type TraceFlags } from '../../../cli/trace-client/trace-plan.ts';

const noFiles = (): Buffer => Buffer.alloc(0);

describe('flags', () => {
  test('--local --raw watches the instance on this machine (CLI-010, TRACE-011)', () => {
    expect(planTrace([], { local: true, raw: true }, [], noFiles)).toEqual({
      kind: 'live',
      raw: true,
      adminPort: 15_000,
      expression: undefined,
      gateway: undefined,
      injection: undefined,
    });
  });

  test('gateway/NAME --port PORT -- URL sends a request (CLI-008)', () => {
    expect(planTrace(['gateway/gw'], { port: '3000' }, ['http://a.test/'], noFiles)).toMatchObject({
      raw: false,
      gateway: { resource: 'gateway/gw' },
      injection: { port: 3000, request: { method: 'GET', target: '/' } },
    });
  });

  test.each<[readonly string[], TraceFlags, readonly string[], string]>([
    [['a', 'b'], {}, [], 'more than one resource'],
    [['a'], { local: true }, [], '--local'],
    [['a'], { file: 'x' }, [], '--file'],
    [[], { file: 'x', local: true }, [], '--file'],
    [[], { file: 'x', expression: 'true' }, [], '--file'],
    [[], { file: 'x', port: '1' }, ['http://a.test'], '--file'],
    [[], { local: true }, ['http://a.test'], 'needs --port'],
    [[], { local: true, port: '3000' }, [], '--port needs a request'],
    [[], { local: true, port: '0' }, ['http://a.test'], '1 to 65535'],
    [[], { local: true, port: '65536' }, ['http://a.test'], '1 to 65535'],
    [[], { local: true, port: '3e3' }, ['http://a.test'], '1 to 65535'],
    [[], { local: true, proxyAdminPort: 'x' }, [], '--proxy-admin-port'],
  ])('%j %j -- %j is refused: %s', (resources, flags, request, message) => {
    const plan = (): unknown => planTrace(resources, flags, request, noFiles);
    expect(plan).toThrow(TraceFailure);
    expect(plan).toThrow(message);
  });
});

describe('gateway/NAME (CLI-006, CLI-031)', () => {
  const known = [
    { namespace: 'default', name: 'gw', ports: [3000] },
    { namespace: 'other', name: 'gw', ports: [3001] },
    { namespace: 'other', name: 'edge.v1', ports: [3002] },
  ];

  test.each([
    ['gateway/edge.v1', undefined, 2],
    ['edge.v1', undefined, 2],
    ['gateways/edge.v1.other', undefined, 2],
    ['gateway/gw.other', undefined, 1],
    ['gateway/gw', 'default', 0],
    [undefined, 'default', 0],
  ])('%s in namespace %s', (resource, namespace, index) => {
    expect(selectGateway(known, resource, namespace)).toBe(known[index]);
  });

  test.each([
    [undefined, undefined, 'more than one gateway'],
    ['gateway/nope', undefined, 'the proxy serves: gateway/gw.default, gateway/gw.other, gateway/edge.v1.other'],
    ['gateway/edge.v1', 'default', 'gateway/edge.v1 not found'],
    ['pod/x', undefined, 'no cluster access'],
    ['gateway/', undefined, 'invalid resource'],
    ['gateway/a/b', undefined, 'invalid resource'],
  ])('%s in namespace %s: %s', (resource, namespace, message) => {
    expect(() => selectGateway(known, resource, namespace)).toThrow(message);
  });

  test('a name without namespace counts in every namespace', () => {
    const selected = { namespace: undefined, name: 'gw', ports: [3000, 3001] };
    expect(selectGateway(known, 'gateway/gw', undefined)).toEqual(selected);
  });

  test('a long list of gateways is cut', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ namespace: 'n', name: `g${index}`, ports: [1] }));
    expect(() => selectGateway(many, 'gateway/x', undefined)).toThrow(/gateway\/g19\.n, 10 more$/);
  });

  test('a proxy without gateways', () => {
    expect(() => selectGateway([], undefined, undefined)).toThrow('the proxy serves no gateway');
  });
});

function payloadsIn(text: string): readonly string[] {
  const reader = createPayloadReader();
  return [...reader.push(text), ...reader.end()];
}

describe('payloads', () => {
  test('are found in streams and in saved traces, however the text is cut', () => {
    const text = ': ready\n\ndata: {"a":1}\n\ndata:{"b":2}\r\n\r\n: keepalive\n\n{"c":3}\nid: 7\ndata: x\n\n{"d":4}';
    for (let size = 1; size <= text.length; size += 1) {
      const reader = createPayloadReader();
      const found: string[] = [];
      for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)));
      found.push(...reader.end());
      expect(found).toEqual(['{"a":1}', '{"b":2}', '{"c":3}', '{"d":4}']);
    }
  });

  test('are put together from several data lines, unless somebody left the blank lines out', () => {
    expect(payloadsIn('data: {\ndata:  "a": 1\ndata: }\n\ndata: {"b":\ndata: 2}')).toEqual(['{  "a": 1 }', '{"b": 2}']);
    expect(payloadsIn('data: {"a":1}\ndata: {"b":2}\n')).toEqual(['{"a":1}', '{"b":2}']);
  });

  test.each([
    ['{"message":{"type":"x"}}', 'x'],
    ['{"message":{"type":1}}', undefined],
    ['{"message":null}', undefined],
    ['{', undefined],
    ['[]', undefined],
  ])('%s has type %s', (text, type) => {
    expect(payloadType(text)).toBe(type);
  });
});
