import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../values/package-root.ts';
import { isObject, type JsonObject } from '../../values/json.ts';

// The examples of a guide are members of cases in a file of their own, which run like all others.
const GUIDES = [
  { page: 'docs/guide/a2a.md', file: 'conformance/cases/a2a/guide.yaml', suite: 'a2a.guide', atLeast: 7 },
  { page: 'docs/guide/ai.md', file: 'conformance/cases/ai/guide.yaml', suite: 'ai.guide', atLeast: 16 },
  {
    page: 'docs/guide/backend-auth.md',
    file: 'conformance/cases/backend/guide.yaml',
    suite: 'backend.guide',
    atLeast: 26,
  },
  { page: 'docs/guide/mcp.md', file: 'conformance/cases/mcp/guide.yaml', suite: 'mcp.guide', atLeast: 14 },
];

describe.each(GUIDES)('$page', async ({ page, file, suite, atLeast }) => {
  const cases = casesOf(parse(await read(file)));
  const examples = examplesOf(await read(page), suite);

  test('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(atLeast);
  });

  test.each(examples)('example $number stands in $id', ({ id, shown }) => {
    const whole = cases.get(id);
    expect(Object.keys(shown)).not.toEqual([]);
    for (const [member, value] of Object.entries(shown)) expect(whole?.[member]).toEqual(value);
  });

  test('shows every case with its configuration and what is asked', () => {
    const shown = [...cases.keys()].map((id) => {
      const members = examples.filter((example) => example.id === id).flatMap((example) => Object.keys(example.shown));
      return [id, members.includes('config') && members.includes('steps')];
    });
    expect(shown.filter(([, whole]) => whole !== true)).toEqual([]);
  });
});

interface Example {
  readonly number: number;
  /** The case that was named last before it. */
  readonly id: string;
  readonly shown: JsonObject;
}

function examplesOf(markdown: string, suite: string): readonly Example[] {
  const pattern = new RegExp(`\`(${suite.replace('.', '[.]')}[.][a-z0-9-]+)\`|\`\`\`yaml\\n(.*?)\`\`\``, 'gs');
  let id = '';
  let number = 0;
  return [...markdown.matchAll(pattern)].flatMap(([, named, block]) => {
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
