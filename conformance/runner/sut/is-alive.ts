/** Whether a process of this machine is there, also one that this user may not signal. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Without leave to signal it, it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
