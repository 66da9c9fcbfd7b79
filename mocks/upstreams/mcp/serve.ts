import type { HttpReply, ServeHttp } from '../../http-exchange.ts';
import { createLaneChooser } from '../../lanes.ts';
import type { Mock, MockOptions } from '../../mock.ts';
import { answer, type Server } from './answer.ts';
import type { Call } from './call.ts';
import { PATHS, receive } from './receive.ts';
import type { Match, McpReply, McpScript } from './script.ts';
import { createSessions } from './sessions.ts';
import { createStreams } from './streams.ts';

/** Starts a server of MCP. Rejects when its port cannot be bound. */
export async function startMcpMock(script: McpScript, options: MockOptions, serveHttp: ServeHttp): Promise<Mock> {
  const { fault, tls, http2, transport = 'streamable', path = PATHS[transport] } = script;
  const choose = createLaneChooser<Match, McpReply, Call>(script, {
    matches,
    counts: ({ problem }) => problem === undefined,
  });
  const server: Server = {
    name: options.name,
    script,
    sessions: createSessions(options.name),
    streams: createStreams(),
    outlets: new Map(),
  };
  const accepting = fault === 'refuse' || fault === 'reset' ? { fault } : {};
  const mock = await serveHttp({ kind: 'http', ...accepting, tls, http2 }, options, async (request, arrived) => {
    await arrived;
    const call = receive(request, script);
    return withFault(answer(call, choose(call), server), fault);
  });
  const url = `${tls === undefined ? 'http' : 'https'}://${mock.host}:${mock.port}${path}`;
  const stop = async (): Promise<void> => {
    for (const outlet of server.outlets.values()) outlet.end();
    await mock.stop();
  };
  return { ...mock, kind: 'mcp', variables: { url }, stop };
}

/** The fault of the peer stands in where a reply names none. */
function withFault(reply: HttpReply, fault: McpScript['fault']): HttpReply {
  return fault === undefined || fault === 'refuse' ? reply : { fault, ...reply };
}

function matches({ method, name }: Match, call: Call): boolean {
  return (method === undefined || method === call.method) && (name === undefined || name === call.name);
}
