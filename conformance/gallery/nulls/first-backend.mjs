// Routes by host and path, always to the first backend, and knows no policy.
import { firstBackendServer } from './first-backend-of.mjs';
import { httpServer, runNull } from './null-proxy.mjs';

runNull({ data: firstBackendServer, admin: () => httpServer((_, response) => response.writeHead(404).end()) });
