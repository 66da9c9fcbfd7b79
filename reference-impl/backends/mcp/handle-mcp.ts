import { ProxyError } from '../../base/proxy-error.ts';
import type { Backend } from '../backend.ts';
import { http } from '../http.ts';
import type { CallTarget } from './asked.ts';
import { authenticate } from './authentication.ts';
import { answerSse, isForOlderTransport } from './clients/sse.ts';
import { answerStreamableHttp } from './clients/streamable-http.ts';
import { noteError } from './note-error.ts';
import { McpNotes, withNotes } from './notes.ts';

/**
 * MCP servers behind one endpoint. Whatever a client says is read, and what targets are told is said anew; `callTarget`
 * sends one request to one of them, as that target's policies want it.
 */
export function mcp(callTarget: CallTarget): Backend {
  return {
    prepare: async (exchange, services) => {
      const view = exchange.backend.mcp;
      if (view === undefined) throw new ProxyError('invalidBackendType');
      const authenticated = await authenticate(exchange, services);
      if ('status' in authenticated) return { exchange, answer: authenticated };
      const notes = new McpNotes();
      const noted = withNotes(authenticated, notes);
      const asked = { exchange: noted, mcp: view, services, callTarget, notes };
      const answer = await (isForOlderTransport(asked) ? answerSse(asked) : answerStreamableHttp(asked));
      return { exchange: noted, answer: noteError(answer, noted, notes) };
    },
    send: http.send,
  };
}
