import type { Context, Guard, Question, Verdict } from '../../../../backends/ai/guards/guard.ts';
import { Cancellation } from '../../../../base/cancellation.ts';
import { systemClock } from '../../../../base/clock.ts';
import { HeaderMap } from '../../../../base/headers.ts';
import { invariant } from '../../../../base/invariant.ts';
import type { Request, Targeted } from '../../../../exchange/exchange.ts';
import { SERVICES } from '../../../support/inert.ts';
import { gateway, viewWith } from '../../../trace/views.ts';

const HOST = 'h.test';
const view = viewWith(
  gateway('ns', 'gw', 3000, HOST),
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { namespace: 'ns', name: 'r' },
    spec: {
      parentRefs: [{ name: 'gw' }],
      rules: [{ backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'up' }] }],
    },
  },
  {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { namespace: 'ns', name: 'up' },
    spec: { static: { host: '127.0.0.1', port: 1 } },
  },
);

/** A request that reached its backend. */
function targeted(cancellation: Cancellation): Targeted {
  const listener = view.binds.get(3000)?.selectListener(HOST);
  const [rule] = listener?.rules ?? [];
  const backend = rule?.backends[0]?.backend;
  invariant(listener !== undefined && rule !== undefined && backend !== undefined && 'policies' in backend, 'a route');
  const request: Request = {
    method: 'POST',
    scheme: 'http',
    authority: HOST,
    target: '/',
    version: 'HTTP/1.1',
    headers: HeaderMap.EMPTY,
    body: undefined,
  };
  return {
    request,
    asked: request,
    source: { address: '10.1.2.3', port: 40_000 },
    port: 3000,
    cancellation,
    facts: {},
    handover: {},
    view,
    clock: systemClock,
    startedAt: 0,
    trace: { active: false, emit: () => {}, finish: () => {} },
    listener,
    rule: { ...rule, matchedPrefix: undefined },
    backend,
  };
}

/** What a guard works for. */
export function context(cancellation: Cancellation = new Cancellation()): Context {
  return { exchange: targeted(cancellation), services: SERVICES, llmRequest: {} };
}

/** A guard that decides as the function says, and remembers what it was asked. */
export function scripted(
  decide: (question: Question) => Verdict,
  more: Partial<Guard> = {},
): Guard & { readonly asked: readonly string[][] } {
  const asked: string[][] = [];
  return {
    failOpen: 'never',
    response: undefined,
    ...more,
    asked,
    check: async (question) => {
      asked.push(question.texts.map(({ text }) => text));
      return decide(question);
    },
  };
}
