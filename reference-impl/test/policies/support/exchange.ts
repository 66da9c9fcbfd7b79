import { Cancellation } from '../../../base/cancellation.ts';
import { systemClock } from '../../../base/clock.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { bytesBody, readBody } from '../../../base/read-body.ts';
import type { Body } from '../../../base/body.ts';
import { invariant } from '../../../base/invariant.ts';
import type { Answer, Handover, Request, Routed } from '../../../exchange/exchange.ts';
import type { Facts } from '../../../exchange/facts.ts';
import { changedBy, type Outcome } from '../../../exchange/outcome.ts';
import { splitTarget } from '../../../exchange/request-state.ts';
import { DISCARD } from '../../../trace/recorder.ts';
import { gateway, viewWith } from '../../trace/views.ts';

export interface Given extends Partial<Omit<Request, 'headers' | 'body'>> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `frontend.http.maxBufferSize` */
  readonly maxBufferSize?: number;
  readonly facts?: Facts;
  readonly handover?: Handover;
}

/** A request that has found its route: path prefix `/api` of host `h.test`. */
export function exchangeOf({
  headers = {},
  body,
  maxBufferSize,
  facts = {},
  handover = {},
  ...given
}: Given = {}): Routed {
  const request: Request = {
    method: 'GET',
    scheme: 'http',
    authority: 'h.test:3000',
    target: '/api/things?q=1',
    version: 'HTTP/1.1',
    headers: HeaderMap.of(Object.entries(headers)),
    body: body === undefined ? undefined : bytesBody(Buffer.from(body)),
    ...given,
  };
  const view = viewWith(
    gateway('ns', 'gw', 3000, 'h.test'),
    ROUTE,
    ...(maxBufferSize === undefined ? [] : [limit(maxBufferSize)]),
  );
  const listener = view.binds.get(3000)?.selectListener('h.test');
  const { path, query } = splitTarget('/api/things');
  const rule = listener?.selectRoute({ host: 'h.test', method: 'GET', path, query, header: () => undefined });
  invariant(listener !== undefined && rule !== undefined, 'the test configuration has a route');
  const source = { address: '10.1.2.3', port: 40_000 };
  const moment = { clock: systemClock, startedAt: 0, trace: DISCARD, cancellation: new Cancellation() };
  return { request, asked: request, source, port: 3000, facts, handover, view, listener, rule, ...moment };
}

const ROUTE = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { namespace: 'ns', name: 'r' },
  spec: { parentRefs: [{ name: 'gw' }], rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/api' } }] }] },
};

function limit(maxBufferSize: number): unknown {
  return {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyPolicy',
    metadata: { namespace: 'ns', name: 'limit' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gw' }],
      frontend: { http: { maxBufferSize } },
    },
  };
}

export function answerOf(status: number, headers: Readonly<Record<string, string>> = {}, body?: string): Answer {
  return {
    status,
    headers: HeaderMap.of(Object.entries(headers)),
    body: body === undefined ? undefined : bytesBody(Buffer.from(body)),
    from: 'backend',
  };
}

/** The exchange after an outcome, as the pipeline makes it. */
export function after(exchange: Routed, outcome: Outcome): Routed {
  return changedBy(exchange, outcome);
}

export async function textOf(body: Body | undefined): Promise<string | undefined> {
  return body === undefined ? undefined : Buffer.from((await readBody(body, 1_000_000)).bytes).toString('latin1');
}

export function fields(headers: HeaderMap): Record<string, string> {
  return Object.fromEntries(headers);
}
