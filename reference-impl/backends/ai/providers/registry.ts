import { InvariantViolation } from '../../../base/invariant.ts';
import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import { custom } from './custom.ts';
import type { Provider } from './provider.ts';
import { vendor1 } from './vendor1.ts';
import { vendor2 } from './vendor2.ts';
import { vendor3 } from './vendor3.ts';
import { vendor4 } from './vendor4.ts';
import { vendor5 } from './vendor5.ts';
import { vendor6 } from './vendor6.ts';
import { vendor7 } from './vendor7.ts';

/** The provider that the settings choose; admission sees to it that they choose one (ADMIT-017). */
export function providerOf(settings: LLMProvider): Provider {
  for (const make of VARIANTS) {
    const provider = make(settings);
    if (provider !== undefined) return withPathPrefix(provider, settings);
  }
  throw new InvariantViolation('an LLM provider has no variant');
}

/** MODEL-016: a provider whose base is more than a version is reached behind the prefix. */
function withPathPrefix(provider: Provider, { pathPrefix }: LLMProvider): Provider {
  if (pathPrefix === undefined || provider.base !== undefined) return provider;
  return { ...provider, path: (call) => `${pathPrefix}${provider.path(call)}` };
}

const VARIANTS: readonly ((settings: LLMProvider) => Provider | undefined)[] = [
  (settings) => settings.vendor1 && vendor1(settings.vendor1, settings.pathPrefix),
  (settings) => settings.vendor2 && vendor2(settings.vendor2),
  (settings) => settings.vendor3 && vendor3(settings.vendor3),
  (settings) => settings.vendor4 && vendor4(settings.vendor4, settings.pathPrefix),
  (settings) => settings.vendor5 && vendor5(settings.vendor5),
  (settings) => settings.vendor6 && vendor6(settings.vendor6),
  (settings) => settings.vendor7 && vendor7(settings.vendor7),
  (settings) => settings.custom && custom(settings.custom, settings.pathPrefix),
];
