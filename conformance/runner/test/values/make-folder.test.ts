import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../values/make-folder.ts';

test('a folder is made with those it lies in, by several at once too, and where none can be it fails instead of turning', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-make-'));
  try {
    const deep = path.join(folder, 'a/b/c');
    await Promise.all([makeFolder(deep), makeFolder(deep), makeFolder(path.join(folder, 'a/b'))]);
    expect((await stat(deep)).isDirectory()).toBe(true);
    await expect(makeFolder(deep)).resolves.toBeUndefined();
    await writeFile(path.join(folder, 'file'), '');
    await expect(makeFolder(path.join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolder(path.join(folder, 'file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(makeFolder('/proc/nope/conf')).rejects.toMatchObject({ code: 'ENOENT' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
