import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCases } from '../../case/load.ts';
import type { ParsedMemory } from '../../case/parsed-memory.ts';
import { packageRoot } from '../../values/package-root.ts';

function memory(): ParsedMemory & { readonly known: Map<string, string>; recalled: number } {
  const known = new Map<string, string>();
  const self = {
    known,
    recalled: 0,
    recall: (text: string) => {
      const value = known.get(text);
      if (value === undefined) return undefined;
      self.recalled += 1;
      return { value: JSON.parse(value) as unknown };
    },
    keep: (text: string, value: unknown) => void known.set(text, JSON.stringify(value)),
  };
  return self;
}

const FILE = 'conformance/cases/attachment/merge.yaml';
const text = readFileSync(path.join(packageRoot(), FILE), 'utf8');

describe('a file that was read before', () => {
  test('gives the same cases, with the same places', () => {
    const kept = memory();
    const fresh = parseCases(FILE, text, { memory: kept });
    for (const { text: read, value } of fresh.fresh) kept.keep(read, value);
    const again = parseCases(FILE, text, { memory: kept });
    expect(again.fresh).toEqual([]);
    expect(kept.recalled).toBe(1);
    expect(JSON.stringify(again.cases)).toBe(JSON.stringify(fresh.cases));
    const at = ['cases', 1, 'steps', 0, 'expect'];
    expect(again.cases[0]?.position(at)).toEqual(fresh.cases[0]?.position(at));
  });

  test('is not fit to be remembered when something is wrong with it', () => {
    const kept = memory();
    const broken = text.replace('layer: op', 'layr: op');
    const { problems, fresh } = parseCases(FILE, broken, { memory: kept });
    expect(problems).not.toEqual([]);
    expect(fresh).toEqual([]);
  });
});
