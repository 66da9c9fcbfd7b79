import type { HeaderMap } from '../../../base/headers.ts';
import type { CloudASigner } from '../../../credentials/cloud-a/cloud-a-signer.ts';
import type { FormatName, Json, UpstreamFormatName } from '../formats/format.ts';

/** What is to be known about a provider: one per variant, made from its settings. No provider knows another. */
export interface Provider {
  /** As expressions and telemetry name it. */
  readonly name: string;
  /** Undefined for a provider that has no host of its own. */
  readonly host: string | undefined;
  /** Formats that are served at another host. */
  readonly hosts?: Readonly<Partial<Record<UpstreamFormatName, string>>>;
  /** PROV-016, PROV-026, PROV-032, PROV-036: asked for instead of what the request names. */
  readonly model: string | undefined;
  /** The formats it speaks when asked for that model. */
  readonly formats: (model: string) => readonly UpstreamFormatName[];
  /** A request of a client with the provider's own names for what it asks. */
  readonly rename?: (request: Json, format: FormatName) => Json;
  /** PROV-013: path, with its query when it needs one, of a request in one of these formats. */
  readonly path: (call: ProviderCall) => string;
  /** Path of realtime connections; undefined for a provider that has none. */
  readonly realtimePath?: string;
  /** PROV-014: what paths begin with; only providers where that can be replaced have one. */
  readonly base?: string;
  /** The header fields as the provider wants them. */
  readonly headers?: (headers: HeaderMap, call: CredentialCall) => HeaderMap;
  /** The body as the provider wants it, where that differs from the format. */
  readonly body?: (request: Json, call: ProviderCall, headers: HeaderMap) => Json;
  /** Signs requests to the provider's own host when no policy says how the proxy identifies itself. */
  readonly signer?: CloudASigner;
}

export interface ProviderCall {
  readonly format: UpstreamFormatName;
  readonly model: string;
  readonly streaming: boolean;
}

export interface CredentialCall {
  /** Undefined for a request that is sent as it is. */
  readonly format: UpstreamFormatName | undefined;
  readonly model: string | undefined;
  /** The operator said where the credential stands, so it stays there. */
  readonly placed: boolean;
}
