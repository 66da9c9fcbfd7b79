import { describe, expect, test } from 'vitest';
import { isServed, typeAt } from '../../../../backends/ai/models/served-paths.ts';

const RAW = '/v1/projects/p/locations/eu/publishers/anthropic/models/claude:rawPredict';

describe('the paths of models', () => {
  test.each([
    ['/v1/chat/completions', 'Completions'],
    ['/v1/messages', 'Messages'],
    ['/v1/messages/count_tokens', 'Vendor4TokenCount'],
    ['/v1/responses', 'Responses'],
    ['/v1/responses/compact', 'Detect'],
    ['/v1/images/edits', 'Detect'],
    ['/v1/embeddings', 'Embeddings'],
    ['/v1/rerank', 'Rerank'],
    ['/v2/rerank', 'Rerank'],
    [RAW, 'Messages'],
    [RAW.replace(':raw', ':streamRaw'), 'Messages'],
  ])('%s is spoken as %s', (path, type) => {
    expect(isServed(path)).toBe(true);
    expect(typeAt(path)).toBe(type);
  });

  test.each(['/v1/models', '/v1/models/m', '/models', '/models/a/b'])('%s is discovery', (path) => {
    expect(isServed(path)).toBe(true);
  });

  test.each(['/', '/v1', '/chat/completions', '/v1/chat/completions/', '/v1/modelsx', '/a/v1/messages', 'constructor'])(
    '%s is for routes',
    (path) => {
      expect(isServed(path)).toBe(false);
    },
  );

  test('a path that a policy put a prefix to is judged by its end, any other is passed on', () => {
    expect(typeAt('/team/v1/messages')).toBe('Messages');
    expect(typeAt('/v1/something')).toBe('Passthrough');
  });
});
