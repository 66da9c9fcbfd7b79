import { Buffer } from 'node:buffer';
import { PROXY_ERRORS, ProxyError } from '../../base/proxy-error.ts';
import { bytesBody } from '../../base/read-body.ts';
import type { Answer } from '../../exchange/exchange.ts';
import type { Asked, Setback } from './asked.ts';
import { type Id, writeMessage } from './message.ts';
import { refuseMcp } from './refusals.ts';

/** What the client is told: the target's own refusal, or that nothing can be sent there. */
export function setbackAnswer({ services }: Asked, setback: Setback, id: Id | undefined): Answer {
  if (setback.kind === 'refuses') return withClientsId(setback, id);
  const failure = setback.kind === 'fails' ? setback.failure : NO_ANSWER;
  services.log.warn('MCP server failed', { error: failure.message });
  // A detail may hold addresses: docs/decisions/error-bodies.md
  const { text } = PROXY_ERRORS[failure.code];
  return refuseMcp(failure.code === 'noHealthyBackends' ? 'unavailable' : 'sendFailed', { id, detail: text, failure });
}

/** An error of JSON-RPC belongs to a request: what the target refused may be a question of the proxy, with an id of its own. */
function withClientsId({ answer, error }: Refusal, id: Id | undefined): Answer {
  if (error === undefined || id === undefined) return answer;
  const body = bytesBody(Buffer.from(writeMessage({ kind: 'response', id, outcome: { error } })));
  return { ...answer, headers: answer.headers.remove('content-length'), body };
}

type Refusal = Extract<Setback, { kind: 'refuses' }>;

/** 202 says that there will be no response, and a request wants one. */
const NO_ANSWER = new ProxyError('upstreamCallFailed', "unexpected 'accepted' response");

/**
 * MCP-007, MCP-008: what decides about a request to several targets, of those where it did not go well; undefined when
 * it can go on. What the others refused with nobody reads. docs/decisions/mcp-failures.md
 */
export function decisive<Failed extends object>(
  failed: readonly Failed[],
  well: number,
  failOpen: boolean,
): Failed | undefined {
  const deciding = decidingOf(failed, well, failOpen);
  for (const each of failed) if (each !== deciding) giveUp(each);
  return deciding;
}

function decidingOf<Failed>(failed: readonly Failed[], well: number, failOpen: boolean): Failed | undefined {
  if (failOpen) return well > 0 ? undefined : failed.at(-1);
  return failed[0];
}

/** A refusal that is told to nobody: as long as it is not read it holds its connection. */
export function giveUp(failed: object): void {
  if (isRefusal(failed)) failed.answer.body?.cancel();
}

function isRefusal(failed: object): failed is Refusal {
  return 'kind' in failed && failed.kind === 'refuses';
}
