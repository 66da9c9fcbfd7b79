// The load of the soak, a process of its own: `node load.ts PORT CONNECTIONS SECONDS` with the asks as JSON on stdin.
// Prints how often each ask ended how: a status, `cut` (the connection closed inside the answer), `broken` (no answer and
// no connection), or `silent` (no answer for 20 s). Load generators from the shelf do not tell these apart.
import { json } from 'node:stream/consumers';
import { Agent, errors, request } from 'undici';
import type { Ask } from './routes.ts';

const SILENCE = 20_000;

const [port = 0, connections = 1, seconds = 1] = process.argv.slice(2).map(Number);
const wanted = (await json(process.stdin)) as readonly Ask[];
const endings: Record<string, Record<string, number>> = {};
const until = performance.now() + seconds * 1000;
const dispatcher = new Agent({ connections, headersTimeout: SILENCE, bodyTimeout: SILENCE });

await Promise.all(Array.from({ length: connections }, (_, lane) => drive(lane)));
console.log(JSON.stringify(endings));
await dispatcher.destroy();

/** Each lane begins at another ask, so that all kinds are under way at any time. */
async function drive(lane: number): Promise<void> {
  for (let turn = lane; performance.now() < until; turn += 1) {
    const ask = wanted[turn % wanted.length];
    if (ask === undefined) return;
    const ending = await endingOf(ask);
    const counts = (endings[ask.name] ??= {});
    counts[ending] = (counts[ending] ?? 0) + 1;
  }
}

async function endingOf({ method, path, headers = {}, body }: Ask): Promise<string> {
  let answered = false;
  try {
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      dispatcher,
      method,
      headers: { host: 'soak.test', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    answered = true;
    await answer.body.arrayBuffer();
    return String(answer.statusCode);
  } catch (error) {
    if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) return 'silent';
    return answered ? 'cut' : 'broken';
  }
}
