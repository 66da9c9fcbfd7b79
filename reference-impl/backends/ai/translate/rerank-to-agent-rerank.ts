import { rerank } from '../formats/rerank.ts';
import { asList, asNumber, asObject, asObjects, asString, isJson, present, type Json } from '../../json.ts';
import { UnreadableReply, UnsupportedByFormat, type Stamp, type Translation } from './translation.ts';
import { noStream } from './no-stream.ts';
import { translatedError } from './upstream-error.ts';

/** A client that wants documents reranked by a model of cloud A (ROUTES-016). */
export const rerankToAgentRerank: Translation = {
  from: 'rerank',
  to: 'agent-rerank',
  request: agentRequest,
  reply: rerankReply,
  error: (status, error) => translatedError(rerank, status, error),
  stream: () => noStream(rerank),
};

function agentRequest(request: Json): Json {
  const modelConfiguration = { modelArn: request['model'] };
  const configuration = present({ modelConfiguration, numberOfResults: asNumber(request['top_n']) });
  return {
    queries: [{ type: 'TEXT', textQuery: { text: request['query'] } }],
    sources: asList(request['documents']).map((document) => ({
      type: 'INLINE',
      inlineDocumentSource: documentSource(document),
    })),
    rerankingConfiguration: { type: 'BEDROCK_RERANKING_MODEL', bedrockRerankingConfiguration: configuration },
  };
}

function documentSource(document: unknown): Json {
  const text = asString(document) ?? asString(asObject(document)?.['text']);
  if (text !== undefined) return { type: 'TEXT', textDocument: { text } };
  if (isJson(document)) return { type: 'JSON', jsonDocument: document };
  throw new UnsupportedByFormat('a document must be text or an object');
}

/** The results stand in the order of the provider, the best first. */
function rerankReply(reply: Json, { id, request }: Stamp): Json {
  if (!Array.isArray(reply['results'])) throw new UnreadableReply('the reply has no results');
  const results = asObjects(reply['results']).map(({ index, relevanceScore }) => ({
    index,
    relevance_score: relevanceScore,
  }));
  return { id: id(), model: request?.['model'] ?? '', results };
}
