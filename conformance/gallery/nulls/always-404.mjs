// Has no route for anybody.
import { httpServer, runNull } from './null-proxy.mjs';

runNull({
  data: () => httpServer((request, response) => request.resume() && response.writeHead(404).end('not found')),
});
