import { expect, it } from 'vitest';
import { FORMATS } from '../../../../backends/ai/formats/registry.ts';
import { eventGuards } from '../../../../backends/ai/guards/event-guards.ts';
import type { Guard } from '../../../../backends/ai/guards/guard.ts';
import { jsonEvent, type StreamEvent } from '../../../../backends/ai/streams/stream-event.ts';
import { context, scripted } from './support.ts';

const CHOICES = 30_000;
const SAID = 'words ';

function chunk(indexes: readonly number[]): StreamEvent {
  return jsonEvent({ choices: indexes.map((index) => ({ index, delta: { content: SAID } })) }, undefined);
}

/** A guard that hides nothing, and counts the characters it was shown. */
function counting(): { readonly guard: Guard; readonly shown: () => number } {
  let characters = 0;
  const find = (text: string): [] => {
    characters += text.length;
    return [];
  };
  const guard = scripted(() => ({ kind: 'pass' }), { masks: [{ token: '<X>', find }] });
  return { guard, shown: () => characters };
}

it('a stream with thirty thousand choices is judged in time that grows with its length', async () => {
  const { guard, shown } = counting();
  const through = eventGuards([guard], FORMATS.completions, context());
  const sent = Array.from({ length: CHOICES }, (_, index) => chunk([index]));
  const passed: StreamEvent[] = [];
  for (const event of sent) passed.push(...(await through([event], false)));
  passed.push(...(await through([], true)));
  expect(passed.map(({ data }) => data)).toEqual(sent.map(({ data }) => data));
  expect(shown()).toBeLessThan(10 * CHOICES * SAID.length);
});

it('an event with thirty thousand choices takes moments', async () => {
  const { guard } = counting();
  const through = eventGuards([guard], FORMATS.completions, context());
  const indexes = Array.from({ length: CHOICES }, (_, index) => index);
  const before = process.cpuUsage();
  for (let round = 0; round < 3; round += 1) await through([chunk(indexes.map((index) => index + round))], false);
  expect(await through([], true)).toBeDefined();
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000);
});
