import { shownByFeatures } from '../clauses/features.ts';
import { foundationCases, groundCases, shownByFields } from '../clauses/foundations.ts';
import { formatOf } from '../steps/llm/llm-request.ts';
import { isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import type { LlmFormat } from '../values/llm-format.ts';
import { standsOn } from '../verdict/stands-on.ts';
import type { ConcreteCase } from './concrete-case.ts';
import type { CaseFile, WrittenCase } from './schema.ts';

type Configured = Pick<ConcreteCase, 'topology' | 'config' | 'steps'>;

/** What is configured, and what is asked to be validated. */
export function resourcesOf({ config, steps, topology }: Configured): readonly JsonObject[] {
  const validated = steps.flatMap(({ input }) =>
    isObject(input) && isObject(input['validate']) ? [input['validate']['resource']] : [],
  );
  // Which rule a request takes is one question, whichever routes the rules stand in.
  const rules = topology.routes.flatMap((route) => route.rules);
  return [{ kind: 'HTTPRoute', spec: { rules } }, ...config, ...validated.filter(isObject)];
}

/** Formats in which the steps ask for models: another than the provider's is one more thing to stand on. */
function formatsAsked({ steps }: Configured): readonly LlmFormat[] {
  return steps.flatMap(({ kind, input }) => (kind === 'llm' ? [formatOf(isObject(input) ? input : {})] : []));
}

/**
 * What the author states, what the file says for all its cases, and what shows the features that the case needs and the fields that its
 * resources set. What shows one of these stands on the ground alone, and on what its author states; the ground stands on nothing, and no
 * case on itself.
 */
export function requiredBy(
  written: WrittenCase,
  { id, needs, content }: Pick<ConcreteCase, 'id' | 'needs'> & { readonly content: Configured },
  defaults: NonNullable<CaseFile['defaults']>,
): readonly string[] {
  const itself = { id, baseId: written.id };
  if (standsOn(groundCases(), itself)) return [];
  const resources = resourcesOf(content);
  const shown = [...shownByFeatures(needs, resources), ...shownByFields(resources, formatsAsked(content))];
  const stated = written.requires ?? [];
  const all = new Set([...(defaults.requires ?? []), ...stated, ...shown]);
  const others = [...all].filter((required) => !standsOn([required], itself));
  if (!standsOn(foundationCases(), itself)) return others;
  return others.filter((required) => stated.includes(required) || groundCases().includes(required));
}
