// The load of the soak, a process of its own: `node load.ts PORT CONNECTIONS SECONDS` with the asks as JSON on stdin.
// Prints how often each ask got each status, how many connections broke, and how many answers never came.
import { json } from 'node:stream/consumers';
import autocannon from 'autocannon';
import type { Ask } from './routes.ts';

const [port, connections, seconds] = process.argv.slice(2).map(Number);
const wanted = (await json(process.stdin)) as readonly Ask[];
const statuses: Record<string, Record<string, number>> = {};

const result = await autocannon({
  url: `http://127.0.0.1:${port}`,
  connections: connections ?? 1,
  duration: seconds ?? 1,
  timeout: 20,
  requests: wanted.map(({ name, method, path, headers = {}, body }) => ({
    method,
    path,
    headers: { host: 'soak.test', ...headers },
    ...(body === undefined ? {} : { body }),
    onResponse: (status: number) => {
      const counts = (statuses[name] ??= {});
      counts[status] = (counts[status] ?? 0) + 1;
    },
  })),
});
console.log(JSON.stringify({ statuses, broken: result.errors - result.timeouts, unanswered: result.timeouts }));
