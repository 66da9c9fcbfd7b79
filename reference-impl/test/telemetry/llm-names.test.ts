import { expect, test } from 'vitest';
import { policy, startDataPlane, startUpstream, type DataPlane } from '../support/data-plane.ts';
import { priced } from '../support/priced.ts';
import { record } from '../support/recording.ts';
import { guardedProvider } from '../backends/ai/guarded-provider.ts';

/*
 * What is recorded of calls to providers. No document names these keys and metrics. docs/decisions/telemetry.md
 */

const LOGGED = policy('Gateway', { frontend: { accessLog: {} } });

function ask(plane: DataPlane, path: string, body: object): Promise<string> {
  const init = { method: 'POST', body: JSON.stringify(body) };
  return fetch(`http://127.0.0.1:${plane.port}${path}`, init).then((answer) => answer.text());
}

test('what the client asked for and what the provider counted are logged', async () => {
  const recorded = record();
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 20,
    prompt_tokens_details: { audio_tokens: 3 },
    completion_tokens_details: { audio_tokens: 4 },
  };
  await using upstream = await startUpstream((_, response) => {
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'hi' } }], usage }));
  });
  await using plane = await startDataPlane((port) => [...guardedProvider(port, upstream.port, {}), LOGGED], recorded);
  const params = { temperature: 0.5, top_p: 0.9, max_tokens: 50, frequency_penalty: 1, presence_penalty: -1, seed: 7 };
  await ask(plane, '/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...params });
  const line = await recorded.line({ protocol: 'llm' });
  expect(line).toMatchObject({
    'gen_ai.usage.input_audio_tokens': 3,
    'gen_ai.usage.output_audio_tokens': 4,
    ...Object.fromEntries(Object.entries(params).map(([name, value]) => [`gen_ai.request.${name}`, value])),
  });
  expect(line).not.toHaveProperty('proxy.ai.time_to_first_token');
  expect(line).not.toHaveProperty('gen_ai.embeddings.dimension.count');
  expect(recorded.metrics.text()).toMatch(
    /proxy_cost_catalog_lookups_total\{status="noCatalog",gen_ai_operation_name="chat",.*\} 1\n/,
  );
});

test('images are counted where a reply says how many tokens they were', async () => {
  const recorded = record();
  await using upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"usage":{"input_tokens":1,"output_tokens":9,"output_tokens_details":{"image_tokens":5}}}');
  });
  const routes = { '/v1/images/generations': 'Detect' };
  await using plane = await startDataPlane(
    (port) => [...guardedProvider(port, upstream.port, { routes }), LOGGED],
    recorded,
  );
  await ask(plane, '/v1/images/generations', { model: 'm', prompt: 'a cat' });
  expect(await recorded.line({ protocol: 'llm' })).toMatchObject({ 'gen_ai.usage.output_image_tokens': 5 });
});

test.each([
  ['exact', 'm', { input: '1', output: '2' }],
  ['unpriced', 'm', { input: '1' }],
  ['missing', 'other', { input: '1', output: '2' }],
])('a lookup in a catalog is counted: %s', async (status, model, rates) => {
  const recorded = record();
  await using upstream = await startUpstream((_, response) => {
    response.end('{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}');
  });
  await using plane = await startDataPlane(
    (port) => [...priced(guardedProvider(port, upstream.port, {}), model, rates), LOGGED],
    recorded,
  );
  await ask(plane, '/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'hi' }] });
  await recorded.line({ protocol: 'llm' });
  expect(recorded.metrics.text()).toMatch(
    new RegExp(`proxy_cost_catalog_lookups_total\\{status="${status}",.*gen_ai_request_model="m",.*\\} 1\\n`),
  );
});

test('embeddings: dimensions and the form they are asked for in; of a value that is none, nothing', async () => {
  const recorded = record();
  await using upstream = await startUpstream((_, response) => {
    response.end('{"object":"list","data":[],"model":"m","usage":{"prompt_tokens":1,"total_tokens":1}}');
  });
  await using plane = await startDataPlane(
    (port) => [...guardedProvider(port, upstream.port, { routes: { '/v1/embeddings': 'Embeddings' } }), LOGGED],
    recorded,
  );
  await ask(plane, '/v1/embeddings', { model: 'm', input: 'x', dimensions: 8, encoding_format: 'float', seed: 'x' });
  const line = await recorded.line({ protocol: 'llm' });
  expect(line).toMatchObject({
    'gen_ai.operation.name': 'embeddings',
    'gen_ai.embeddings.dimension.count': 8,
    'gen_ai.request.encoding_formats': ['float'],
  });
  expect(line).not.toHaveProperty('gen_ai.request.seed');
});

test('a stream is timed, in seconds', async () => {
  const recorded = record();
  await using upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
    response.end('data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\ndata: [DONE]\n\n');
  });
  await using plane = await startDataPlane((port) => [...guardedProvider(port, upstream.port, {}), LOGGED], recorded);
  await ask(plane, '/v1/chat/completions', { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] });
  const line = await recorded.line({ protocol: 'llm' });
  for (const key of ['proxy.ai.time_to_first_token', 'proxy.ai.time_per_output_token']) {
    expect(line[key]).toBeGreaterThanOrEqual(0);
    expect(line[key]).toBeLessThan(20);
  }
});
