// Says yes to every command. There is nothing behind it.
import { createInterface } from 'node:readline';

const YES = {
  ok: true,
  protocol: 1,
  implementation: { name: 'yes' },
  ops: ['effective-policy', 'validate'],
  result: { accepted: true },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  process.stdout.write(`${JSON.stringify({ seq: JSON.parse(line).seq, ...YES })}\n`);
});
