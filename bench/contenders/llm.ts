// A provider of language models that does no work: node bench/contenders/llm.ts PORT. A request for a stream gets as many events
// as the header x-tokens says (50 when it says nothing), one at a time; any other gets a document.
import { createServer, type ServerResponse } from 'node:http';

const USAGE = { prompt_tokens: 120, completion_tokens: 50, total_tokens: 170 };
const document = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm-1',
    choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(160) }, finish_reason: 'stop' }],
    usage: USAGE,
  }),
);
const event = chunk({ choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] });
const last = Buffer.concat([
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({ choices: [], usage: USAGE }),
  Buffer.from('data: [DONE]\n\n'),
]);

createServer((request, response) => {
  let body = '';
  request.setEncoding('latin1').on('data', (part: string) => {
    body += part;
  });
  request.on('end', () => {
    if (body.includes('"stream":true')) stream(response, Number(request.headers['x-tokens'] ?? 50));
    else
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': document.length }).end(document);
  });
}).listen(Number(process.argv[2]), '127.0.0.1', () => {
  console.log('ready');
});

function chunk(members: object): Buffer {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm-1' };
  return Buffer.from(`data: ${JSON.stringify({ ...head, ...members })}\n\n`);
}

function stream(response: ServerResponse, tokens: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let rest = tokens;
  const next = (): void => {
    if (response.destroyed) return;
    if (rest === 0) {
      response.end(last);
      return;
    }
    rest -= 1;
    if (response.write(event)) setImmediate(next);
    else response.once('drain', next);
  };
  next();
}
