import { describe, expect, test } from 'vitest';
import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { UpstreamFormatName } from '../../../backends/ai/formats/format.ts';
import { providerOf } from '../../../backends/ai/providers/registry.ts';

/*
 * No document says what becomes of such a name. docs/decisions/llm-backends.md
 */

const IN_PATH: readonly (readonly [LLMProvider, UpstreamFormatName])[] = [
  [{ vendor2: { endpoint: 'a.example', apiVersion: '2024-10-21' } }, 'completions'],
  [{ vendor5: {} }, 'generate-content'],
  [{ vendor6: { projectId: 'p' } }, 'messages'],
  [{ vendor6: { projectId: 'p' } }, 'generate-content'],
  [{ vendor6: { projectId: 'p' } }, 'predict'],
  [{ vendor7: {} }, 'converse'],
  [{ vendor7: {} }, 'invoke'],
];

describe.each(IN_PATH)('the path of %j for %s', (settings, format) => {
  const pathFor = (model: string): string => providerOf(settings).path({ format, model, streaming: false });

  test.each(['..', '.', '', 'a/../../b', '../b', 'a/./b', 'a//b', 'a%2e%2e', 'a\\b', 'a?b', 'a#b', 'a b', 'a\n'])(
    'refuses the name %j',
    (model) => {
      expect(() => pathFor(model)).toThrow('the name of the model cannot stand in a path');
    },
  );

  test('has any other name in one segment', () => {
    expect(pathFor('arn:aws:x/a.b-1:0@2').split('/').length).toBe(pathFor('plain').split('/').length);
  });
});

test('a name that is not in the path may be anything', () => {
  expect(providerOf({ vendor1: {} }).path({ format: 'completions', model: '..', streaming: false })).toBe(
    '/v1/chat/completions',
  );
});
