import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Microseconds of CPU that all threads of a process have had so far, to the nanosecond where `/proc/PID/stat` counts hundredths of a second;
 * not a number where the system does not tell.
 */
export function cpuMicroseconds(pid: number | undefined): number {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return Number.NaN;
  const nanoseconds = readdirSync(threads).map((thread) => {
    const [onCpu] = readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ');
    return Number(onCpu);
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}
