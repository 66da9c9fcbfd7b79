// `npm run fuzz:parsers [SECONDS]`: properties of all byte parsers of the reference, for a minute or as long as is said, which they share.
// What they find is kept as an example or a seed beside the property. CI runs it with the seed of its commit.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const FILES = [
  'reference-impl/test/server/parsers.fuzz.test.ts',
  'reference-impl/test/server/proxy-header.test.ts',
  'reference-impl/test/server/client-frames.test.ts',
  'reference-impl/test/backends/ai/streams/sse.test.ts',
  'reference-impl/test/backends/ai/streams/binary-events.test.ts',
  'reference-impl/test/upstream/parsers.fuzz.test.ts',
] as const;

const seconds = Number(process.argv[2] ?? 60);
const properties = FILES.reduce((sum, file) => sum + propertiesIn(readFileSync(file, 'utf8')), 0);
const each = Math.round((seconds * 1000) / properties);
console.log(`${properties} properties of ${FILES.length} files, ${each} ms each`);
const patience = ['--testTimeout', String(each * 10 + 20_000)];
const { status } = spawnSync('vitest', ['run', ...FILES, ...patience, '--maxWorkers', '1'], {
  stdio: 'inherit',
  env: { ...process.env, PROPERTY_MILLISECONDS: String(each) },
});
process.exit(status ?? 1);

function propertiesIn(text: string): number {
  return [...text.matchAll(/\bfc\.(?:asyncP|p)roperty\(/g)].length;
}
