// The program that stands for a container in the process group of an implementation: run.kind container starts it as run.kind process starts
// any other. It only passes on signals, as lines: what keeps the container is in no group that may be killed, and hears of this end.
import { spawn } from 'node:child_process';
import path from 'node:path';

const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
const COULD_NOT_RUN = 125;

const keep = path.join(import.meta.dirname, `keep${path.extname(import.meta.filename)}`);
const keeper = spawn(process.execPath, [keep, ...process.argv.slice(2)], {
  detached: true,
  stdio: ['pipe', 'inherit', 'inherit'],
});
for (const signal of PASSED_ON) process.on(signal, () => void keeper.stdin?.write(`${signal}\n`));
// It may have ended just before a signal came.
keeper.stdin?.on('error', () => undefined);
keeper.once('error', (error) => {
  console.error(error.message);
  process.exitCode = COULD_NOT_RUN;
});
keeper.once('exit', (code) => {
  process.exit(code ?? COULD_NOT_RUN);
});
