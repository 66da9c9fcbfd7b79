import { Buffer } from 'node:buffer';
import { HeaderMap } from '../../base/headers.ts';
import { invariant } from '../../base/invariant.ts';
import { bytesBody } from '../../base/read-body.ts';
import type { Decided } from '../backend.ts';
import type { AiRequest, Understood } from './ai-request.ts';
import { LlmCall, withCall } from './call/llm-call.ts';

/** ROUTES-013: what the provider has no way to say, the proxy says by itself. For formats that have a reply of their own. */
export async function answerHere({ client, model, request }: Understood, asked: AiRequest): Promise<Decided> {
  const { exchange, destination } = asked;
  invariant(client.ownReply !== undefined, `nobody but a provider can answer ${client.name}`);
  const reply = await client.ownReply(request, model);
  const provider = destination.provider.name;
  const call = new LlmCall({ provider, streaming: false, model, request, format: client }, exchange);
  const counted = client.countedTokens?.(reply);
  if (counted !== undefined) call.counted(counted);
  call.finish();
  const headers = HeaderMap.of([['content-type', 'application/json']]);
  const body = bytesBody(Buffer.from(JSON.stringify(reply)));
  return {
    exchange: withCall(exchange, call),
    answer: { status: 200, headers, body, from: 'policy' },
  };
}
