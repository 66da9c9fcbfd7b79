// Takes every byte and never says one.
import { runNull, tcpServer } from './null-proxy.mjs';

runNull({ data: () => tcpServer((socket) => socket.resume()) });
