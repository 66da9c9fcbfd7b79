import type { LLMProvider } from '../../resources/proxy-backend/variants/llm-provider.ts';
import { HOSTED_PROVIDERS } from '../../resources/proxy-model/hosted-providers.ts';
import type { ProxyModel } from '../../resources/proxy-model/model.ts';

/** The provider of a model, in the words of a ProxyBackend. */
export interface ModelProvider {
  readonly settings: LLMProvider;
  /** MODEL-017: whether the connection is encrypted where no policy says so; undefined leaves it to the provider. */
  readonly encrypted: boolean | undefined;
  /** The name of a provider that is not one of the variants. */
  readonly called: string | undefined;
}

/** What serves a model, asked for `as` that name when there is one; undefined when the model says no address. */
export function modelProvider({ spec }: ProxyModel, as: string | undefined): ModelProvider | undefined {
  const hosted = HOSTED_PROVIDERS[spec.provider ?? ''];
  const variant = hosted === undefined ? variantOf(spec) : { custom: { formats: hosted.formats } };
  if (variant === undefined) return undefined;
  const url = spec.baseURL ?? hosted?.baseURL;
  const called = hosted?.name;
  if (url !== undefined) {
    const settings = { ...askingFor(withoutBackend(variant), as), ...addressOf(url) };
    return { settings, encrypted: isEncrypted(url), called };
  }
  const hasAddress = variant.custom === undefined || variant.custom.backendRef !== undefined;
  return hasAddress ? { settings: askingFor(variant, as), encrypted: undefined, called } : undefined;
}

type Spec = ProxyModel['spec'];

function variantOf(spec: Spec): LLMProvider | undefined {
  return VARIANTS[spec.provider ?? '']?.(spec);
}

const VARIANTS: Readonly<Record<string, (spec: Spec) => LLMProvider | undefined>> = {
  Vendor1: () => ({ vendor1: {} }),
  // MODEL-014
  Vendor3: ({ vendor3 }) => vendor3 && { vendor3 },
  Vendor4: () => ({ vendor4: {} }),
  Vendor5: () => ({ vendor5: {} }),
  Vendor6: ({ vendor6 }) => vendor6 && { vendor6 },
  // MODEL-037
  Vendor7: ({ vendor7 = {} }) => ({ vendor7 }),
  Custom: ({ custom }) => custom && { custom },
};

/** MODEL-027, MODEL-028: the name the provider is asked for takes the place of the one in the request. */
function askingFor(variant: LLMProvider, model: string | undefined): LLMProvider {
  if (model === undefined) return variant;
  return Object.fromEntries(Object.entries(variant).map(([name, settings]) => [name, { ...Object(settings), model }]));
}

/** MODEL-015, MODEL-016: scheme, host and port of the URL; its path is what paths begin with, if it has one. */
function addressOf(url: string): Pick<LLMProvider, 'host' | 'port' | 'pathPrefix'> {
  const { hostname, port, pathname } = new URL(url);
  const pathPrefix = pathname.replace(/\/+$/, '');
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isEncrypted(url) ? 443 : 80) : Number(port),
    ...(pathPrefix !== '' && { pathPrefix }),
  };
}

function isEncrypted(url: string): boolean {
  return new URL(url).protocol === 'https:';
}

/** The address of baseURL is taken before the one of a Service. */
function withoutBackend(variant: LLMProvider): LLMProvider {
  if (variant.custom === undefined) return variant;
  const { backendRef: _, ...custom } = variant.custom;
  return { custom };
}
