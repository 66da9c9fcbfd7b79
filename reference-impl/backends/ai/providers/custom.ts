import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { FormatName } from '../format.ts';
import type { Provider } from './provider.ts';
import { SUFFIXES } from './suffixes.ts';

type Custom = NonNullable<LLMProvider['custom']>;

/** PROV-034: a provider of one's own; it speaks what it declares, where it says (PROV-038, PROV-039). */
export function custom({ formats, model }: Custom): Provider {
  const declared = formats.flatMap(({ type, path }) => {
    const format = FORMATS[type];
    return format === undefined ? [] : [[format, path ?? `/v1${SUFFIXES[format]}`] as const];
  });
  const paths = new Map(declared);
  return {
    name: 'custom',
    host: undefined,
    model,
    formats: () => [...paths.keys()],
    path: ({ format }) => paths.get(format) ?? `/v1${SUFFIXES[format]}`,
  };
}

const FORMATS: Readonly<Partial<Record<Custom['formats'][number]['type'], FormatName>>> = {
  Completions: 'completions',
  Messages: 'messages',
  Responses: 'responses',
  Embeddings: 'embeddings',
};
