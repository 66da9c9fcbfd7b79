import { SignJWT } from 'jose';
import type { View } from '../../../attachment/view.ts';
import { Cancellation } from '../../../base/cancellation.ts';
import type { Clock } from '../../../base/clock.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { LogFields } from '../../../base/log.ts';
import type { LentCredential } from '../../../credentials/lent-credential.ts';
import type { Services } from '../../../credentials/services.ts';
import { createTokenCache } from '../../../credentials/token-cache.ts';
import type { Targeted, Request } from '../../../exchange/exchange.ts';
import { requestVariables } from '../../../exchange/request-state.ts';
import type { Call } from '../../../upstream/http-call.ts';
import { exchangeOf, type Given, textOf } from '../../policies/support/exchange.ts';
import { BACKEND, SERVICES } from '../../support/inert.ts';
import { viewWith } from '../../trace/views.ts';

/** A question to a token endpoint as it came. */
export interface Question {
  readonly host: string;
  readonly target: string;
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

export interface Said {
  readonly status?: number;
  /** A text that is no JSON is sent as it is. */
  readonly body?: object | string;
}

/** Token endpoints that the test answers for, and a cache. */
export interface Endpoints {
  readonly services: Services;
  readonly asked: Question[];
  readonly warned: { readonly message: string; readonly fields: LogFields | undefined }[];
}

/** Without an answer of its own an endpoint gives `token-1`, `token-2`, …, good for an hour. */
export function endpoints(
  clock: Clock,
  answer: (question: Question, number: number) => Said | Promise<Said> = () => ({}),
): Endpoints {
  const asked: Question[] = [];
  const warned: { message: string; fields: LogFields | undefined }[] = [];
  const send = async (call: Call): ReturnType<Services['http']['send']> => {
    const { request, endpoint } = call;
    const question: Question = {
      host: endpoint.kind === 'tcp' ? endpoint.host : '',
      target: request.target,
      authorization: request.headers.get('authorization'),
      form: new URLSearchParams(await textOf(request.body)),
    };
    asked.push(question);
    const usual = { access_token: `token-${asked.length}`, token_type: 'Bearer', expires_in: 3600 };
    const { status = 200, body = usual } = await answer(question, asked.length);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { status, headers: HeaderMap.EMPTY, body: bytesBody(Buffer.from(text)) };
  };
  const services: Services = {
    ...SERVICES,
    http: { send, close: () => Promise.resolve() },
    tokens: createTokenCache(clock),
    log: { ...SERVICES.log, warn: (message, fields) => void warned.push({ message, fields }) },
  };
  return { services, asked, warned };
}

/** A request under a configuration with the token endpoints `tokens` and `other`, and these Secrets. */
export function requestWith(
  clock: Clock,
  given: Given = {},
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Targeted {
  const text = JSON.stringify(secrets);
  const view = views.get(text) ?? viewOf(secrets);
  views.set(text, view);
  return { ...exchangeOf(given), backend: BACKEND, view, clock, cancellation: new Cancellation() };
}

/** By Secrets: properties ask for the same few again and again. */
const views = new Map<string, View>();

function viewOf(secrets: Readonly<Record<string, Readonly<Record<string, string>>>>): View {
  const backends = ['tokens', 'other'].map((name) => ({
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { namespace: 'default', name },
    spec: { static: { host: `${name}.test`, port: 80 } },
  }));
  const resources = Object.entries(secrets).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name },
    stringData,
  }));
  return viewWith(...backends, ...resources);
}

/** What is sent to the backend. */
export function shown(lent: LentCredential, exchange: Targeted, services: Services): Promise<Request> {
  return lent.show(exchange, requestVariables(exchange), services);
}

export function backendRef(name: 'tokens' | 'other'): { group: string; kind: 'ProxyBackend'; name: string } {
  return { group: 'proxy.example', kind: 'ProxyBackend', name };
}

/** A JWT that nobody here verifies. */
export function jwt(claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32));
}
