import { access, constants, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive } from './is-alive.ts';
import { wallClock } from '../values/wall-clock.ts';

/** Milliseconds without a change after which a folder of a dead process is nobody's; processes that cannot be seen from here may share the place. */
const STALE = 10 * 60_000;

/** `conform-PID-` or `conform-WHAT-PID-`, and six characters of chance. */
const NAME = /^conform-(?:[a-z]+-)?(\d+)-[A-Za-z0-9]{6}$/;

/**
 * A fresh folder of this process; whoever asks removes it. What processes left behind that were killed is removed on the way: a
 * SIGKILL leaves no time to clean up. `under` is where temporary files go.
 */
export async function makeTempFolder(what = '', under = tmpdir()): Promise<string> {
  await removeStale(under);
  const kind = what === '' ? '' : `${what}-`;
  return mkdtemp(path.join(under, `conform-${kind}${process.pid}-`));
}

/**
 * Where the files go that an implementation reads: tens of thousands in a run, none of which anybody wants to keep, so memory is a better
 * place than a disk. The usual place where there is no such memory, or little of it, or somebody set `TMPDIR`.
 */
export async function placeOfDeliveries(memory = MEMORY): Promise<string> {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    const { type, bavail, bsize } = await statfs(memory);
    await access(memory, constants.W_OK);
    return type === TMPFS && bavail * bsize >= ENOUGH ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Linux has it; containers often have 64 MB of it. */
const MEMORY = '/dev/shm';
/** The number by which statfs(2) tells that a file system is memory. */
const TMPFS = 0x01021994;
/** An implementation may also keep its log there. */
const ENOUGH = 256 * 1024 * 1024;

async function removeStale(under: string): Promise<void> {
  const names = await readdir(under).catch((): string[] => []);
  for (const name of names) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const folder = path.join(under, name);
    // Somebody else may remove it at the same moment, or it may be somebody else's: both are no reason to stop.
    const changed = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (wallClock() - changed > STALE) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
