// `npm run fuzz:parsers [SECONDS]`: properties of all byte parsers of the reference, for a minute or as long as is said, which they share.
// What they find is kept as an example or a seed beside the property. CI runs it with the seed of its commit.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { FUZZED_FILES } from './fuzzed-files.ts';

const seconds = Number(process.argv[2] ?? 60);
const properties = FUZZED_FILES.reduce((sum, file) => sum + propertiesIn(readFileSync(file, 'utf8')), 0);
const each = Math.round((seconds * 1000) / properties);
console.log(`${properties} properties of ${FUZZED_FILES.length} files, ${each} ms each`);
const patience = ['--testTimeout', String(each * 10 + 20_000)];
const { status } = spawnSync('vitest', ['run', ...FUZZED_FILES, ...patience, '--maxWorkers', '1'], {
  stdio: 'inherit',
  env: { ...process.env, PROPERTY_MILLISECONDS: String(each) },
});
process.exit(status ?? 1);

function propertiesIn(text: string): number {
  return [...text.matchAll(/\bfc\.(?:asyncP|p)roperty\(/g)].length;
}
