import type { Json } from '../../../../json.ts';
import type { Said } from '../../said.ts';
import type { LlmFormat } from '../format.ts';
import { cloudError, cloudErrorHeaders, converseUsage, modelAt, STOP_REASON } from './dialect.ts';
import { converseProblem } from './request.ts';
import { signatureFormProblem } from './signature.ts';
import { converseStream } from './stream.ts';

/** Converse. The path names the model, and says whether the reply is a stream. */
export const converse: LlmFormat = {
  name: 'Converse',
  path: '/model/{model}/converse',
  at: (path) => modelAt(path, { converse: false, 'converse-stream': true }),
  headerProblem: signatureFormProblem,
  bodyProblem: converseProblem,
  error: cloudError,
  errorHeaders: cloudErrorHeaders,
  reply,
  stream: converseStream,
};

function reply(said: Said): Json {
  const content = [
    ...(said.reasoning === ''
      ? []
      : [{ reasoningContent: { reasoningText: { text: said.reasoning, signature: 'c2lnbmVk' } } }]),
    ...said.texts.filter((text) => text !== '').map((text) => ({ text })),
    ...said.calls.map(({ id, name, arguments: text }) => ({
      toolUse: { toolUseId: id, name, input: JSON.parse(text === '' ? '{}' : text) as unknown },
    })),
  ];
  return {
    metrics: { latencyMs: 7 },
    output: { message: { content, role: 'assistant' } },
    stopReason: STOP_REASON[said.finish] ?? said.finish,
    ...(said.tokens === undefined ? {} : { usage: converseUsage(said.tokens) }),
  };
}
