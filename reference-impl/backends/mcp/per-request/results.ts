import { asNumber, isJson, type Json } from '../../json.ts';
import type { Asked } from '../asked.ts';
import { isJudged } from '../judged.ts';
import type { Response } from '../message.ts';

/** The outcome of a request as the revision of its client has it. */
export function inClientsRevision(asked: Asked, method: string, outcome: Response['outcome']): Response['outcome'] {
  if (!('result' in outcome) || !isJson(outcome.result)) return outcome;
  return asked.perRequest === true ? { result: complete(asked, method, outcome.result) } : withoutKind(outcome.result);
}

/** How long clients may keep what several servers said: as long as the most cautious of them allows. */
export function cacheHints(results: readonly Json[]): Json {
  const times = results.map(({ ttlMs }) => asNumber(ttlMs) ?? 0);
  const isPublic = results.every(({ cacheScope }) => cacheScope === 'public');
  return { ttlMs: Math.min(...times), cacheScope: isPublic ? 'public' : 'private' };
}

/** A server with sessions says nothing of what newer clients want to know: then nothing is to be kept. */
function complete(asked: Asked, method: string, result: Json): Json {
  const kind = { resultType: 'complete', ...result };
  if (!CACHED.has(method) || kind.resultType !== 'complete') return kind;
  const { ttlMs = 0, cacheScope = 'private' } = result;
  // What one client may see is not for another one where somebody looks at it.
  return { ...kind, ttlMs, cacheScope: isJudged(asked) ? 'private' : cacheScope };
}

const CACHED: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** Only a server without sessions says of which kind a result is. */
function withoutKind(result: Json): Response['outcome'] {
  const { resultType, ttlMs: _, cacheScope: __, ...rest } = result;
  if (typeof resultType !== 'string') return { result };
  if (resultType === 'complete') return { result: rest };
  return {
    error: { code: -32_603, message: `the server wants what clients with sessions cannot give: ${resultType}` },
  };
}
