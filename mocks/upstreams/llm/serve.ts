import type { ServeHttp } from '../../http-exchange.ts';
import type { Mock, MockOptions } from '../../mock.ts';
import { createChooser } from './choose-reply.ts';
import { llmFormats } from './formats/registry.ts';
import { receive } from './receive.ts';
import { FORMATS } from './script.ts';
import type { FormatName, LlmScript } from './script.ts';
import { sendReply } from './send-reply.ts';

/** Starts a provider of language models. Rejects when its port cannot be bound. */
export async function startLlmMock(script: LlmScript, options: MockOptions, serveHttp: ServeHttp): Promise<Mock> {
  const names: readonly FormatName[] = [script.format ?? FORMATS].flat();
  const formats = names.map((name) => llmFormats[name]);
  const choose = createChooser(script);
  const { fault, tls, http2 } = script;
  const accepting = fault === 'refuse' || fault === 'reset' ? { fault } : {};
  const mock = await serveHttp({ kind: 'http', ...accepting, tls, http2 }, options, async (request, arrived) => {
    await arrived;
    const call = await receive(request, formats, script);
    return sendReply(choose(call), call, fault === 'refuse' ? undefined : fault);
  });
  return { ...mock, kind: 'llm' };
}
