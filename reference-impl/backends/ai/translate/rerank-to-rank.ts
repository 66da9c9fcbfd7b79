import { rerank } from '../formats/rerank.ts';
import { asList, asNumber, asObject, asObjects, asString, present, type Json } from '../../json.ts';
import { UnreadableReply, UnsupportedByFormat, type Stamp, type Translation } from './translation.ts';
import { noStream } from './no-stream.ts';
import { translatedError } from './upstream-error.ts';

/** A client that wants documents reranked by the platform of cloud C (ROUTES-016). */
export const rerankToRank: Translation = {
  from: 'rerank',
  to: 'rank',
  request: rankRequest,
  reply: rerankReply,
  error: (status, error) => translatedError(rerank, status, error),
  stream: () => noStream(rerank),
};

/** The platform knows documents by ids, which are texts: here each is the index of its document. */
function rankRequest(request: Json): Json {
  return present({
    model: request['model'],
    query: request['query'],
    records: asList(request['documents']).map((document, index) => ({ id: String(index), content: textOf(document) })),
    topN: asNumber(request['top_n']),
    ignoreRecordDetailsInResponse: request['return_documents'] !== true,
  });
}

function textOf(document: unknown): string {
  const text = asString(document) ?? asString(asObject(document)?.['text']);
  if (text === undefined) throw new UnsupportedByFormat('a document without text has no counterpart at the provider');
  return text;
}

/** The results stand in the order of the provider, the best first. */
function rerankReply(reply: Json, { id, request }: Stamp): Json {
  if (!Array.isArray(reply['records'])) throw new UnreadableReply('the reply has no records');
  const results = asObjects(reply['records']).map((record) => {
    const text = asString(record['content']);
    return present({
      index: Number(record['id']),
      relevance_score: asNumber(record['score']) ?? 1,
      document: text === undefined || request?.['return_documents'] !== true ? undefined : { text },
    });
  });
  return { id: id(), model: request?.['model'] ?? '', results };
}
