import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { UpstreamFormatName } from '../formats/format.ts';
import { isSpoken, SPOKEN } from '../formats/registry.ts';
import type { Provider } from './provider.ts';
import { SUFFIXES } from './suffixes.ts';

type Custom = NonNullable<LLMProvider['custom']>;

/** PROV-034: a provider of one's own; it speaks what it declares, where it says (PROV-038, PROV-039). */
export function custom({ formats, model }: Custom, pathPrefix = '/v1'): Provider {
  const declared = formats.flatMap(({ type, path }) => {
    if (!isSpoken(type)) return [];
    const { name } = SPOKEN[type];
    return [[name, path ?? `${pathPrefix}${SUFFIXES[name]}`] as const];
  });
  const paths = new Map<UpstreamFormatName, string>(declared);
  const realtime = formats.find(({ type }) => type === 'Realtime');
  return {
    name: 'custom',
    host: undefined,
    model,
    base: pathPrefix,
    ...(realtime && { realtimePath: realtime.path ?? `${pathPrefix}/realtime` }),
    formats: () => [...paths.keys()],
    path: ({ format }) => paths.get(format) ?? `${pathPrefix}${SUFFIXES[format]}`,
  };
}
