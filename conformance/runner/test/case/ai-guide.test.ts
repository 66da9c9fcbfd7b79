import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../values/package-root.ts';
import { isObject, type JsonObject } from '../../values/json.ts';

// The examples of docs/guide/ai.md are members of the cases of conformance/cases/ai/guide.yaml, which run like all others.

const page = await read('docs/guide/ai.md');
const cases = casesOf(parse(await read('conformance/cases/ai/guide.yaml')));
const examples = examplesOf(page);

test('the page has examples', () => {
  expect(examples.length).toBeGreaterThan(15);
});

test.each(examples)('example $number of the page stands in $id', ({ id, shown }) => {
  const whole = cases.get(id);
  expect(Object.keys(shown)).not.toEqual([]);
  for (const [member, value] of Object.entries(shown)) expect(whole?.[member]).toEqual(value);
});

test('every case is shown with its configuration and what is asked', () => {
  const shown = [...cases.keys()].map((id) => {
    const members = examples.filter((example) => example.id === id).flatMap((example) => Object.keys(example.shown));
    return [id, members.includes('config') && members.includes('steps')];
  });
  expect(shown.filter(([, whole]) => whole !== true)).toEqual([]);
});

interface Example {
  readonly number: number;
  /** The case that was named last before it. */
  readonly id: string;
  readonly shown: JsonObject;
}

function examplesOf(markdown: string): readonly Example[] {
  let id = '';
  let number = 0;
  return [...markdown.matchAll(/`(ai\.guide\.[a-z0-9-]+)`|```yaml\n(.*?)```/gs)].flatMap(([, named, block]) => {
    id = named ?? id;
    const shown: unknown = block === undefined ? undefined : parse(block);
    return isObject(shown) ? [{ number: ++number, id, shown }] : [];
  });
}

function casesOf(file: unknown): ReadonlyMap<unknown, JsonObject> {
  const list = isObject(file) && Array.isArray(file['cases']) ? file['cases'].filter(isObject) : [];
  return new Map(list.map((one) => [one['id'], one]));
}

function read(file: string): Promise<string> {
  return readFile(path.join(packageRoot(), file), 'utf8');
}
