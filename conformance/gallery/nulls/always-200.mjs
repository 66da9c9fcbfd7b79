// Everything is fine, and here is what you said.
import { httpServer, runNull } from './null-proxy.mjs';

runNull({ data: () => httpServer((request, response) => request.pipe(response.writeHead(200))) });
