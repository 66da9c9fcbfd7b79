import { expect, test } from 'vitest';
import type { FormatName, UpstreamFormatName } from '../../../../backends/ai/formats/format.ts';
import { PREFERENCE, translationBetween, upstreamFormat } from '../../../../backends/ai/translate/preference.ts';

const CHOICES: readonly [
  client: FormatName,
  spoken: readonly UpstreamFormatName[],
  upstream: UpstreamFormatName | undefined,
][] = [
  ['completions', ['messages', 'completions'], 'completions'],
  ['completions', ['messages'], 'messages'],
  ['completions', ['responses'], undefined],
  ['messages', ['completions', 'responses'], 'completions'],
  ['messages', ['responses'], 'responses'],
  ['messages', ['completions', 'messages'], 'messages'],
  ['responses', ['messages'], undefined],
  ['responses', ['completions'], 'completions'],
  ['embeddings', ['completions'], undefined],
  ['completions', ['completions', 'generate-content'], 'generate-content'],
  ['messages', ['completions', 'generate-content'], 'completions'],
  ['embeddings', ['predict'], 'predict'],
  ['rerank', ['rank'], 'rank'],
  ['token-count', ['messages'], undefined],
  ['embeddings', ['completions', 'embeddings'], 'embeddings'],
];

test.each(CHOICES)('%s in front of %j goes out as %s', (client, spoken, upstream) => {
  expect(upstreamFormat(client, spoken)).toBe(upstream);
});

test('there is a translation for every preference, and none for the own format', () => {
  for (const [client, upstreams] of Object.entries(PREFERENCE)) {
    const pairs = upstreams.map((upstream) => ({ upstream, found: pair(client, upstream) }));
    for (const { upstream, found } of pairs) {
      expect(found).toBe(upstream === client ? undefined : `${client} to ${upstream}`);
    }
  }
});

function pair(client: string, upstream: UpstreamFormatName): string | undefined {
  const names: readonly FormatName[] = ['completions', 'messages', 'responses', 'embeddings', 'rerank', 'token-count'];
  const found = names.filter((name) => name === client).map((name) => translationBetween(name, upstream))[0];
  return found && `${found.from} to ${found.to}`;
}
