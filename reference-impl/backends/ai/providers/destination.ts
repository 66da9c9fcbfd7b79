import type { BackendView, Endpoint } from '../../../attachment/view.ts';
import { invariant } from '../../../base/invariant.ts';
import { perObject } from '../../../base/per-object.ts';
import type { Targeted } from '../../../exchange/exchange.ts';
import { splitTarget } from '../../../exchange/request-state.ts';
import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { UpstreamFormatName } from '../formats/format.ts';
import type { Provider, ProviderCall } from './provider.ts';
import { providerOf } from './registry.ts';

/** Where the requests for one backend go. */
export interface Destination {
  readonly settings: LLMProvider;
  readonly provider: Provider;
  /** The backend with the endpoints and the encryption that its provider has by itself. */
  readonly backend: BackendView;
}

/**
 * PROV-009, PROV-010, PROV-011, PROV-033: the address a backend names, or the one its provider is known by.
 * docs/decisions/llm-backends.md
 */
export const destinationOf = perObject((backend: BackendView): Destination => {
  const { provider: settings, endpoints, policies } = backend;
  invariant(settings !== undefined, 'a backend of type ai has no provider');
  const provider = nameAsCalled(providerOf(settings), backend);
  if (settings.custom?.backendRef !== undefined) return { settings, provider, backend };
  // A host of one's own is spoken to as its policies say; the provider's own only under TLS.
  // MODEL-017, MODEL-018: so it is with an address from baseURL, where its scheme stands for what no policy says.
  const encrypted = policies.tls === undefined && (backend.model?.encrypted ?? settings.host === undefined);
  const secured = encrypted ? { ...policies, tls: {} } : policies;
  const own = { ...backend, endpoints: [ownEndpoint(settings, provider), ...endpoints], policies: secured };
  return { settings, provider, backend: own };
});

function nameAsCalled(provider: Provider, { model }: BackendView): Provider {
  return model?.called === undefined ? provider : { ...provider, name: model.called };
}

/** The backend as a request in that format reaches it: some formats have a host of their own. */
export function backendFor({ settings, provider, backend }: Destination, format: UpstreamFormatName): BackendView {
  const host = provider.hosts?.[format];
  if (host === undefined || settings.host !== undefined) return backend;
  return { ...backend, endpoints: [{ kind: 'tcp', host, port: settings.port ?? HTTPS_PORT }] };
}

/** The target of a request in one of the provider's formats, with the query of the client. */
export function targetOf({ settings, provider }: Destination, call: ProviderCall, clientTarget: string): string {
  // PROV-012: the operator wrote all of it.
  return settings.path ?? withQuery(provider.path(call), splitTarget(clientTarget).query);
}

/** The target of a request that is sent as it is: `pathPrefix` takes the place of `/v1` there too. */
export function untouchedTarget({ settings, provider }: Destination, clientTarget: string): string {
  if (settings.pathPrefix === undefined) return clientTarget;
  if (provider.base === undefined) return `${settings.pathPrefix}${clientTarget}`;
  return `${provider.base}${clientTarget.replace(/^\/v1(?=[/?]|$)/, '')}`;
}

/** `target` with the query of the client added to what it has. */
export function withQuery(target: string, query: string): string {
  if (query === '') return target;
  return `${target}${target.includes('?') ? '&' : '?'}${query}`;
}

/** The request with the header fields as its provider wants them. */
export function withProviderHeaders(
  exchange: Targeted,
  { provider }: Destination,
  { format, model }: Asked = {},
): Targeted {
  if (provider.headers === undefined) return exchange;
  const placed = exchange.backend.policies.auth?.location !== undefined;
  const headers = provider.headers(exchange.request.headers, { format, model, placed });
  return { ...exchange, request: { ...exchange.request, headers } };
}

/** What is asked for, as far as it is known. */
interface Asked {
  readonly format?: UpstreamFormatName;
  readonly model?: string | undefined;
}

const HTTPS_PORT = 443;

function ownEndpoint({ host, port }: LLMProvider, provider: Provider): Endpoint {
  const named = host ?? provider.host ?? '';
  const [, name = named, number] = /^(.*?)(?::(\d+))?$/.exec(named) ?? [];
  if (host !== undefined) return { kind: 'tcp', host, port: port ?? HTTPS_PORT };
  return { kind: 'tcp', host: name, port: port ?? (number === undefined ? HTTPS_PORT : Number(number)) };
}
