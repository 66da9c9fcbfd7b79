// Stands between the suite and an adapter and writes down every line: the first argument is the file, the others are the adapter.
// `> ` is from the suite, `< ` from the adapter.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file = '', program = '', ...args] = process.argv.slice(2);
const adapter = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });

createInterface({ input: process.stdin })
  .on('line', (line) => {
    appendFileSync(file, `> ${line}\n`);
    adapter.stdin.write(`${line}\n`);
  })
  .once('close', () => adapter.stdin.end());
createInterface({ input: adapter.stdout }).on('line', (line) => {
  appendFileSync(file, `< ${line}\n`);
  process.stdout.write(`${line}\n`);
});
adapter.once('exit', (code) => process.exit(code ?? 1));
