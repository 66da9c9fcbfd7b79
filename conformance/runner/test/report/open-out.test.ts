import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openOut } from '../../report/open-out.ts';
import { UsageFault } from '../../sut/session.ts';

test('a folder for reports is made, and what cannot be one is a usage fault that says why', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-out-'));
  try {
    await expect(openOut(path.join(folder, 'a/b'))).resolves.toBeUndefined();
    await writeFile(path.join(folder, 'file'), '');
    for (const out of [path.join(folder, 'file'), path.join(folder, 'file/below'), '/proc/x']) {
      await expect(openOut(out)).rejects.toThrow(UsageFault);
      await expect(openOut(out)).rejects.toThrow(/^--out .*: reports cannot be written there \(E[A-Z]+\)$/);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
