import { isList, isObject, type JsonObject } from '../values/json.ts';

/**
 * A provider of models that waits at a peer (`provider: { vendor1: {}, peer: llm }`): its address, and beside it what else decides where a
 * request arrives and what signs it, with the values they have anyway. What holds without them is the subject of few cases (PROV-013,
 * PROV-028, PROV-039), which write host and port themselves, so that no other case is red for it.
 */
export function providerAt(address: JsonObject, provider: JsonObject): JsonObject {
  return { ...provider, ...address, ...basePath(provider), ...formatPaths(provider), ...region(provider) };
}

function basePath(provider: JsonObject): JsonObject {
  if ('path' in provider || 'pathPrefix' in provider || !('vendor1' in provider || 'vendor4' in provider)) return {};
  return { pathPrefix: '/v1' };
}

/** None beside a path of the provider itself: which of the two counts is said nowhere. */
function formatPaths({ custom, path }: JsonObject): JsonObject {
  if (path !== undefined || !isObject(custom) || !isList(custom['formats'])) return {};
  const formats = custom['formats'].map((format) => {
    const usual = isObject(format) ? USUAL_PATHS[String(format['type'])] : undefined;
    return usual === undefined || !isObject(format) ? format : { path: usual, ...format };
  });
  return { custom: { ...custom, formats } };
}

const USUAL_PATHS: Readonly<Record<string, string>> = {
  Completions: '/v1/chat/completions',
  Messages: '/v1/messages',
  Responses: '/v1/responses',
  Embeddings: '/v1/embeddings',
  Rerank: '/v1/rerank',
  Vendor4TokenCount: '/v1/messages/count_tokens',
  Realtime: '/v1/realtime',
};

function region({ vendor7 }: JsonObject): JsonObject {
  return isObject(vendor7) ? { vendor7: { region: 'us-east-1', ...vendor7 } } : {};
}
