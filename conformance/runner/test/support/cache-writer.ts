// Writes and reads the same few entries of a cache folder over and over; ends with 1 when it reads what nobody wrote.
import { openCache } from '../../values/cache.ts';

const [, , folder = ''] = process.argv;
const cache = openCache('kind', { folder, bytes: 10_000_000, ageMs: 86_400_000, sweepMs: 0 });
const value = Array.from({ length: 2000 }, (_, index) => `line ${index}`);
for (let round = 0; round < 60; round++) {
  const name = `entry ${round % 3}`;
  cache.keep(value, name);
  const found = cache.recall(name)?.value;
  if (JSON.stringify(found) !== JSON.stringify(value)) process.exit(1);
}
