import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseCases } from '../../case/load.ts';
import { STEP_KINDS } from '../../case/expand.ts';
import { TARGET_WORDS } from '../../case/shorthand.ts';
import { INVARIANTS } from '../../values/invariants.ts';
import { MATCHERS } from '../../values/matchers/registry.ts';
import { packageRoot } from '../../values/package-root.ts';

const readme = await readFile(path.join(packageRoot(), 'conformance/cases/README.md'), 'utf8');

test('the guide names every matcher, step, target and invariant', () => {
  const names = [
    ...MATCHERS.map(({ name }) => `\`${name}\``),
    ...STEP_KINDS.map((name) => `\`${name}\``),
    ...Object.keys(INVARIANTS).map((name) => `\`${name}\``),
    ...TARGET_WORDS.map((word) => ` ${word} `),
  ];
  expect(names.filter((name) => !readme.replaceAll(',', ' ').includes(name))).toEqual([]);
});

test('the case of the guide is a case', () => {
  const text = /```yaml\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const { cases, problems } = parseCases('README.md', text);
  expect(problems).toEqual([]);
  expect(cases.map(({ id }) => id)).toEqual(['routing.example.exact-before-prefix']);
});
