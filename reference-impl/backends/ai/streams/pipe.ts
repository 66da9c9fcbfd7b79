import type { HeaderMap } from '../../../base/headers.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import { isPlain } from '../../../base/content-encoding.ts';
import { stampOf, type Expected } from '../call/expected.ts';
import { isGuarded } from '../guards/run-guards.ts';
import { countsOf, countStage, hideStage } from './count.ts';
import { decodedStream } from './decode.ts';
import { guardStage } from './guard.ts';
import { rewrittenStream } from './rewrite.ts';
import type { Stage } from './stage.ts';
import { serverSentEvents } from './sse.ts';
import { formOf, type StreamForm } from './stream-form.ts';
import { tellStage } from './tell.ts';
import { sameFormatStage, translateStage } from './translate.ts';
import { watchedStream } from './watch.ts';

/**
 * What happens to the events of a stream, in this order; a stage that a request does not need is left out. Guards judge
 * what the client would read (docs/decisions/prompt-guard.md), and expressions are told what it does read.
 */
const STAGES: readonly ((expected: Expected, answer: Answer) => Stage | undefined)[] = [
  count,
  translate,
  guard,
  hide,
  tell,
];

/**
 * The stream of a provider as the client gets it: its bytes are decoded, cut into events, and told again when all
 * stages have let them pass. When no stage changes anything the bytes pass as they come, and the events are watched.
 * Throws llmResponseInvalid for a stream that would have to be read and cannot be.
 */
export function streamedAnswer(encoded: Answer, form: StreamForm, expected: Expected): Answer {
  const { call, exchange } = expected;
  const answer = decodedStream(encoded);
  const { body, headers } = answer;
  if (body === undefined) {
    call.finish();
    return answer;
  }
  const stages = STAGES.map((stageOf) => stageOf(expected, answer)).filter((stage) => stage !== undefined);
  const changes = stages.some((stage) => stage.changes);
  const way = { stages, call, cancellation: exchange.cancellation };
  if (isPlain(headers.get('content-encoding'))) {
    return changes
      ? { ...answer, headers: asEventStream(headers), body: rewrittenStream(body, form.cutter(), way) }
      : { ...answer, body: watchedStream(body, form.cutter(), way) };
  }
  if (changes) throw new ProxyError('llmResponseInvalid', 'the encoding of the stream is unsupported');
  return answer;
}

function asEventStream(headers: HeaderMap): HeaderMap {
  if (formOf(headers, [serverSentEvents]) !== undefined) return headers;
  return headers.remove('content-length').set('content-type', `${serverSentEvents.contentType}; charset=utf-8`);
}

function count({ call, upstream }: Expected): Stage {
  return countStage(call, countsOf(upstream, call));
}

function translate(expected: Expected, answer: Answer): Stage {
  const { client, translation } = expected;
  if (translation === undefined) return sameFormatStage(client);
  return translateStage(client, translation.stream(stampOf(answer, expected)));
}

function guard({ client, guarding: { guards, context } }: Expected, answer: Answer): Stage | undefined {
  const isWanted = guards.streaming && guards.response.length > 0 && isGuarded(client);
  return isWanted ? guardStage(guards.response, client, { ...context, answer }) : undefined;
}

function hide({ client, tellsTokens }: Expected): Stage | undefined {
  return tellsTokens ? undefined : hideStage(client);
}

function tell({ call }: Expected): Stage | undefined {
  return call.said === undefined ? undefined : tellStage(call.said);
}
