// Takes a connection and resets it at the first byte.
import { runNull, tcpServer } from './null-proxy.mjs';

runNull({ data: () => tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())) });
