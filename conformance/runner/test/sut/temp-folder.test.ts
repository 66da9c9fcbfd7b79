import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeTempFolder, placeOfDeliveries } from '../../sut/temp-folder.ts';
import { wallClock } from '../../values/wall-clock.ts';

let under = '';
beforeEach(() => {
  under = mkdtempSync(path.join(tmpdir(), 'temp-folder-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(under, { recursive: true });
});

/** The number of a process that is over. */
const DEAD = spawnSync(process.execPath, ['--version']).pid;

function left(name: string, minutesAgo: number): string {
  const folder = path.join(under, name);
  mkdirSync(folder);
  const then = wallClock() / 1000 - minutesAgo * 60;
  utimesSync(folder, then, then);
  return folder;
}

test('what killed processes left behind is removed, and nothing else', async () => {
  const stale = [left(`conform-${DEAD}-abcdef`, 11), left(`conform-gallery-${DEAD}-abcDE1`, 11)];
  const kept = [
    left(`conform-${DEAD}-recent`, 9),
    left(`conform-${process.pid}-abcdef`, 11),
    left('conform-abcdef', 11),
    left(`other-${DEAD}-abcdef`, 11),
    left(`conform-${DEAD}-abcdef-more`, 11),
  ];
  const folder = await makeTempFolder('known', under);
  expect(path.basename(folder)).toMatch(new RegExp(`^conform-known-${process.pid}-\\w{6}$`));
  expect(stale.map(existsSync)).toEqual([false, false]);
  expect(kept.map(existsSync)).toEqual([true, true, true, true, true]);
});

test('what an implementation reads lies in memory, where there is such a place and nobody named another', async () => {
  vi.stubEnv('TMPDIR', undefined);
  expect(['/dev/shm', tmpdir()]).toContain(await placeOfDeliveries());
  // A folder of a disk, and one that is not there.
  const isDisk = statfsSync(under).type !== 0x01021994;
  expect(await placeOfDeliveries(under)).toBe(isDisk ? tmpdir() : under);
  expect(await placeOfDeliveries(path.join(under, 'none'))).toBe(tmpdir());
  vi.stubEnv('TMPDIR', under);
  expect(await placeOfDeliveries()).toBe(under);
});
