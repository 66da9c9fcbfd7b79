// What outlives a request is listed in one place: every file of the reference that keeps something beyond a call is named in
// the comment of credentials/services.ts, and nothing else is.
import { globSync, readFileSync } from 'node:fs';

const LIST = 'reference-impl/credentials/services.ts';

/** The tools themselves, and one record per connection of a client. */
const TOOLS: ReadonlySet<string> = new Set(['base/per-object.ts', 'base/per-key.ts', 'base/per-list.ts']);

/** What keeps something: a variable or an empty collection of the module, state, or a map that holds its keys weakly. */
const KEEPS: readonly RegExp[] = [
  /^(?:export )?let /m,
  /^(?:export )?const \w+ = new (?:Map|Set|LRUCache)\b[^\n]*\((?:\)|\{)/m,
  /= lastingState[<(]/,
  /new Weak(?:Map|Set)\b/,
  /new LRUCache\b/,
];

/** So that a sign that finds nothing any more is noticed. */
const PLANTED: readonly string[] = [
  'let last = 0;',
  'const cache = new Map<string, Compiled>();',
  'const cache = new LRUCache<string, true>({ max: 1 });',
  'const bucketsOf = lastingState((entries: Entries) => 1);',
  '  const seen = new WeakSet<object>();',
];

/** Found by their interfaces, since nothing in their text tells a collection that lasts from one that does not. */
const MEMBERS: readonly string[] = [
  'upstream/pools.ts',
  'upstream/grpc-clients.ts',
  'upstream/health/register.ts',
  'credentials/passwords/password-queue.ts',
  'telemetry/otlp/exporter.ts',
  'telemetry/metrics/series.ts',
];

const [comment = ''] = /\/\*[^*][\s\S]*?\*\//.exec(readFileSync(LIST, 'utf8')) ?? [];
const listed = new Set([...comment.matchAll(/[\w/-]+\.ts/g)].map(([file]) => file));
const keeping = new Set(sources().filter(keepsSomething));
const problems = [
  ...PLANTED.filter((text) => !keeps(text)).map((text) => `no sign finds ${text}`),
  ...[...keeping].filter((file) => !listed.has(file)).map((file) => `${file} keeps something and is not in ${LIST}`),
  ...[...listed]
    .filter((file) => !keeping.has(file) && !MEMBERS.includes(file) && !TOOLS.has(file) && !file.startsWith('docs/'))
    .map((file) => `${LIST} names ${file}, which keeps nothing`),
];
for (const problem of problems) console.error(`  ${problem}`);
console.log(`state: ${keeping.size + MEMBERS.length} files keep something, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

function sources(): readonly string[] {
  return globSync('reference-impl/**/*.ts', { exclude: (file) => file === 'reference-impl/test' })
    .map((file) => file.replace('reference-impl/', ''))
    .filter((file) => !file.includes('/wire/') && !TOOLS.has(file) && file !== 'credentials/services.ts');
}

function keepsSomething(file: string): boolean {
  return keeps(readFileSync(`reference-impl/${file}`, 'utf8'));
}

function keeps(text: string): boolean {
  return KEEPS.some((sign) => sign.test(text));
}
