import { expect, test } from 'vitest';
import type { FormatName } from '../../../../backends/ai/format.ts';
import { PREFERENCE, translationBetween, upstreamFormat } from '../../../../backends/ai/translate/preference.ts';

const CHOICES: readonly [client: FormatName, spoken: readonly FormatName[], upstream: FormatName | undefined][] = [
  ['completions', ['messages', 'completions'], 'completions'],
  ['completions', ['messages'], 'messages'],
  ['completions', ['responses'], undefined],
  ['messages', ['completions', 'responses'], 'completions'],
  ['messages', ['responses'], 'responses'],
  ['messages', ['completions', 'messages'], 'messages'],
  ['responses', ['messages'], undefined],
  ['responses', ['completions'], 'completions'],
  ['embeddings', ['completions'], undefined],
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

function pair(client: string, upstream: FormatName): string | undefined {
  const names: readonly FormatName[] = ['completions', 'messages', 'responses', 'embeddings'];
  const found = names.filter((name) => name === client).map((name) => translationBetween(name, upstream))[0];
  return found && `${found.from} to ${found.to}`;
}
