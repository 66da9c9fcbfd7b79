import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
    if (performance.timeOrigin + performance.now() - changed > STALE)
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Without leave to signal it, it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
