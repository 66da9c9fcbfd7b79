import type { Mock, MockOptions } from '../../mock.ts';
import type { TlsScript } from '../../tls/script.ts';
import { createChooser } from './choose-reply.ts';
import { llmFormats } from './formats/registry.ts';
import type { HttpReply, LlmRequest } from './http.ts';
import { receive } from './receive.ts';
import { FORMATS } from './script.ts';
import type { FormatName, LlmScript } from './script.ts';
import { sendReply } from './send-reply.ts';

/** The HTTP mock, which the registry hands in: it listens, keeps the ledger and sends replies, faults included. */
export type ServeHttp = (
  script: { kind: 'http'; fault?: LlmScript['fault']; tls?: TlsScript | undefined },
  options: MockOptions,
  choose: (request: LlmRequest, arrived: Promise<boolean>) => Promise<HttpReply>,
) => Promise<Mock>;

/** Starts a provider of language models. Rejects when its port cannot be bound. */
export async function startLlmMock(script: LlmScript, options: MockOptions, serveHttp: ServeHttp): Promise<Mock> {
  const names: readonly FormatName[] = [script.format ?? FORMATS].flat();
  const formats = names.map((name) => llmFormats[name]);
  const choose = createChooser(script);
  const { fault, tls } = script;
  const accepting = fault === 'refuse' || fault === 'reset' ? { fault } : {};
  const mock = await serveHttp({ kind: 'http', ...accepting, tls }, options, async (request, arrived) => {
    await arrived;
    const call = await receive(request, formats, script);
    return sendReply(choose(call), call, fault === 'refuse' ? undefined : fault);
  });
  return { ...mock, kind: 'llm' };
}
