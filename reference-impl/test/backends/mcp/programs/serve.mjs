// What the servers of the protocol's own libraries share: they print their port and serve until their standard input ends.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** `handle` gets request and response of node:http, and the message of a POST. */
export function serve(handle) {
  const server = createServer((request, response) => {
    answer(handle, request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(server.address().port);
  });
  process.stdin.resume().on('end', () => process.exit());
}

async function answer(handle, request, response) {
  return handle(request, response, request.method === 'POST' ? await json(request) : undefined);
}

/** Handles messages of sessions; `connect` connects a server to a transport, of which each session has one. */
export function withSessions(Transport, connect) {
  const sessions = new Map();
  const open = async () => {
    const transport = new Transport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await connect(transport);
    return transport;
  };
  return async (request, response, message) => {
    const id = request.headers['mcp-session-id'];
    const transport = id === undefined ? await open() : sessions.get(id);
    if (transport === undefined) response.writeHead(404).end('no such session');
    else await transport.handleRequest(request, response, message);
  };
}
