import { describe, expect, test } from 'vitest';
import { problemsOf } from './support.ts';

/** A case with one provider, its peer, and what it cites. */
function file(provider: string, peer = 'kind: llm', more = ''): string {
  return `suite: x.models
cases:
  - id: x.models.one
    title: A model is asked
    clauses: [{ id: X-001, as: positive }]
    peers: { up: { ${peer} } }
    config:
      - { kind: ProxyBackend, metadata: { name: b }, spec: { ai: { provider: { ${provider} } }${more} } }
    topology: { to: { backend: b } }
    steps:
      - id: ask
        llm: { model: m, user: hi }
        expect: { status: 200 }
    kills: [some]
`;
}

const BY_HAND = "vendor1: {}, host: '${peers.up.host}', port: '${peers.up.port}'";

describe('the path of a provider', () => {
  test.each([
    ['stands for a peer', 'vendor1: {}, peer: up', ''],
    ['is named', `${BY_HAND}, path: /a`, ''],
    ['is that of the client', BY_HAND, ", policies: { ai: { routes: { '*': Detect } } }"],
    ['is made of settings', 'vendor3: { resourceName: r }, peer: up', ''],
  ])('%s', (_, provider, more) => {
    expect(problemsOf(file(provider, 'kind: llm', more))).toEqual([]);
  });

  test('is missing', () => {
    expect(problemsOf(file(BY_HAND))).toEqual([
      expect.stringMatching(/^8:\d+ a provider without path or pathPrefix; write { peer: NAME }/),
    ]);
  });
});

test('the region of a signature is named', () => {
  const auth = ', policies: { auth: { cloudA: { secretRef: { name: s } } } }';
  expect(problemsOf(file('vendor7: {}, peer: up', 'kind: llm', auth))).toEqual([
    expect.stringMatching(/^8:\d+ no region; write one/),
  ]);
});

describe('what a provider answers', () => {
  const provider = 'vendor1: {}, peer: up';

  test.each([
    ['a text that is no JSON on purpose', 'kind: http, reply: { body: rubbish }'],
    ['an error', 'kind: http, reply: { status: 429, json: { error: { message: no } } }'],
    ['a refusal', 'kind: http, reply: { status: 404, json: {} }'],
    ['a count', 'kind: http, reply: { json: { input_tokens: 3 } }'],
  ])('may be %s', (_, peer) => {
    expect(problemsOf(file(provider, peer))).toEqual([]);
  });

  test.each([
    ['nothing of its own', 'kind: http', 'its name, which is no answer of a provider'],
    ['half a completion', 'kind: http, reply: { json: { choices: [] } }', 'no complete chat completion: id: expected'],
    [
      'half an event',
      'kind: http, reply: { body: "data: {\\"choices\\":[]}\\n\\n" }',
      'an event that is not whole: id',
    ],
    ['another document', 'kind: http, reply: { json: { a: 1 } }', 'a document of no format it knows'],
    ['half a completion, as a model', 'kind: llm, replies: [{ json: { choices: [] } }]', 'no complete chat completion'],
  ])('is not %s', (_, peer, message) => {
    expect(problemsOf(file(provider, peer))).toEqual([expect.stringContaining(`peer up answers ${message}`)]);
  });
});
