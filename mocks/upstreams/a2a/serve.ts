import type { HttpReply, ServeHttp } from '../../http-exchange.ts';
import { createLaneChooser } from '../../lanes.ts';
import type { Mock, MockOptions } from '../../mock.ts';
import { answer, type Agent } from './answer.ts';
import { cardOf } from './card.ts';
import { receive, type Call } from './receive.ts';
import type { A2aReply, A2aScript, Match } from './script.ts';
import { createTasks } from './tasks.ts';

/** Starts an agent. Rejects when its port cannot be bound. */
export async function startA2aMock(script: A2aScript, options: MockOptions, serveHttp: ServeHttp): Promise<Mock> {
  const { fault, tls, http2, path = '' } = script;
  const choose = createLaneChooser<Match, A2aReply, Call>(script, {
    matches,
    counts: ({ problem }) => problem === undefined,
  });
  const agent = Promise.withResolvers<Agent>();
  const accepting = fault === 'refuse' || fault === 'reset' ? { fault } : {};
  const mock = await serveHttp({ kind: 'http', ...accepting, tls, http2 }, options, async (request, arrived) => {
    await arrived;
    const call = receive(request, script);
    return withFault(answer(call, choose(call), await agent.promise), fault);
  });
  const url = `${tls === undefined ? 'http' : 'https'}://${mock.host}:${mock.port}${path === '' ? '/' : path}`;
  agent.resolve({ name: options.name, card: cardOf(options.name, url, script), tasks: createTasks() });
  return { ...mock, kind: 'a2a', variables: { url } };
}

/** The fault of the peer stands in where a reply names none. */
function withFault(reply: HttpReply, fault: A2aScript['fault']): HttpReply {
  return fault === undefined || fault === 'refuse' ? reply : { fault, ...reply };
}

/** A card is asked for beside everything else, so only a lane that names it has something to say about it. */
function matches({ action, text }: Match, call: Call): boolean {
  if (action !== undefined && action !== call.action) return false;
  return text === undefined || call.text.includes(text);
}
