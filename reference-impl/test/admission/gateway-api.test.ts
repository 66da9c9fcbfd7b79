import { expect, test } from 'vitest';
import { admit } from '../../admission/admit.ts';
import { pathText } from '../../admission/violation.ts';
import { fragment } from './fragments.ts';

const listener = (text: string): unknown => fragment(`{name: http, port: 80, protocol: HTTP, ${text}}`);
const gateway = (...listeners: unknown[]): unknown => resource('Gateway', { gatewayClassName: 'c', listeners });
const route = (rule: string): unknown =>
  resource('HTTPRoute', { parentRefs: [{ name: 'gw' }], rules: [fragment(rule)] });

function resource(kind: string, spec: unknown): unknown {
  return { apiVersion: 'gateway.networking.k8s.io/v1', kind, metadata: { name: 'x' }, spec };
}

test.each([
  [gateway(listener('hostname: "*.a.test"'), fragment('{name: b, port: 80, protocol: HTTP}'))],
  [gateway(fragment('{name: t, port: 443, protocol: HTTPS, tls: {mode: Terminate, certificateRefs: [{name: c}]}}'))],
  [
    resource('ListenerSet', {
      parentRef: { name: 'gw' },
      listeners: [listener('allowedRoutes: {namespaces: {from: All}}')],
    }),
  ],
  [
    route(
      '{matches: [{path: {type: RegularExpression, value: "a+"}, method: GET}], backendRefs: [{name: s, port: 80, weight: 0}]}',
    ),
  ],
  [
    route(
      '{matches: [{headers: [{name: X, value: a}], queryParams: [{name: q, value: "1", type: RegularExpression}]}]}',
    ),
  ],
  [
    route(
      '{filters: [{type: RequestRedirect, requestRedirect: {statusCode: 301, path: {type: ReplaceFullPath, replaceFullPath: /x}}}]}',
    ),
  ],
  [
    route(
      '{filters: [{type: RequestMirror, requestMirror: {backendRef: {name: s, port: 1}, percent: 5}}, {type: RequestMirror, requestMirror: {backendRef: {name: t, port: 1}}}]}',
    ),
  ],
  [route('{timeouts: {request: 10s, backendRequest: 2s}, name: first}')],
  [route('{backendRefs: [{group: proxy.example, kind: ProxyBackend, name: b}]}')],
])('accepts %j', (value) => {
  const admission = admit(value);
  expect(admission.ok ? [] : admission.violations).toEqual([]);
});

test.each([
  [gateway(listener(''), listener('hostname: a.test')), 'spec.listeners[1]'],
  [gateway(listener(''), fragment('{name: b, port: 80, protocol: HTTP}')), 'spec.listeners[1]'],
  [gateway(listener('hostname: A.test')), 'spec.listeners[0].hostname'],
  [gateway(listener('hostname: "a.*.test"')), 'spec.listeners[0].hostname'],
  [route('{matches: [{path: {value: a}}]}'), 'spec.rules[0].matches[0].path'],
  [route('{matches: [{method: get}]}'), 'spec.rules[0].matches[0].method'],
  [route('{backendRefs: [{name: s}]}'), 'spec.rules[0].backendRefs[0]'],
  [route('{backendRefs: [{name: s, port: 1, weight: -1}]}'), 'spec.rules[0].backendRefs[0].weight'],
  [route('{filters: [{type: URLRewrite, requestRedirect: {}}]}'), 'spec.rules[0].filters[0]'],
  [
    route('{filters: [{type: URLRewrite, urlRewrite: {}}, {type: RequestRedirect, requestRedirect: {}}]}'),
    'spec.rules[0]',
  ],
  [
    route('{filters: [{type: URLRewrite, urlRewrite: {}}, {type: URLRewrite, urlRewrite: {}}]}'),
    'spec.rules[0].filters[1]',
  ],
  [
    route('{filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath}}}]}'),
    'spec.rules[0].filters[0].urlRewrite.path.replaceFullPath',
  ],
  [route('{timeouts: {request: 1s, backendRequest: 2s}}'), 'spec.rules[0]'],
  [route('{matchs: []}'), 'spec.rules[0].matchs'],
])('refuses %j', (value, path) => {
  const admission = admit(value);
  expect(admission.ok ? [] : admission.violations.map((violation) => pathText(violation.path))).toContain(path);
});
