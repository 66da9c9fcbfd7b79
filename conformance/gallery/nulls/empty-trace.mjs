// Relays like first-backend and traces nothing: the stream opens, and closes with the next request.
import { firstBackendServer } from './first-backend-of.mjs';
import { httpServer, runNull } from './null-proxy.mjs';

const streams = new Set();

runNull({
  data: (state) => {
    state.served = closeStreams;
    return firstBackendServer(state);
  },
  admin: () =>
    httpServer((request, response) => {
      if (request.url.startsWith('/debug/trace')) open(response);
      else response.writeHead(404).end();
    }),
});

function open(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': ready\n\n');
  streams.add(response);
  response.once('close', () => streams.delete(response));
}

function closeStreams() {
  for (const stream of streams) stream.end();
}
