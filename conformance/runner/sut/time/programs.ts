const running = new Set<number>();

/** Remembers a started program while it runs: what it wants of the CPU is watched. The answer forgets it. */
export function watchProgram(pid: number): () => void {
  if (pid > 0) running.add(pid);
  return () => void running.delete(pid);
}

/** Process ids of the programs that run. */
export function watchedPrograms(): readonly number[] {
  return [...running];
}
