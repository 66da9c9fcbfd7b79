// One word everywhere: every row of the phase tables has its schema, its policy, a case that writes the field, and every
// policy file has a row. Every dependency has a row in docs/guide/libraries.md.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BACKEND, GATEWAY, RESPONSE, ROUTE } from '../../reference-impl/pipeline/phases.ts';

/** Filters of HTTPRoute take part in the route phase; their schema is Gateway API's. */
const FILTERS: ReadonlySet<string> = new Set(['urlRewrite', 'requestRedirect']);

/** Policies that are no steps of a phase, by folder and name, and who asks them. */
const ASKED_ELSEWHERE: Readonly<Record<string, string>> = {
  // The attempts themselves are judged.
  'backend/health.ts': 'reference-impl/pipeline/balancing.ts',
};

const problems: string[] = [];
const written = cases();
const traffic: readonly string[] = [...GATEWAY, ...ROUTE].map(({ field }) => field);
const backend: readonly string[] = BACKEND.map(({ field }) => field);

/** A field of several schemas has a folder, and in it one of its own name. */
function schemaFile(name: string): string {
  const file = `reference-impl/resources/proxy-policy/fields/${name}`;
  return existsSync(file) ? `${file}/backend-${name}.ts` : `${file}.ts`;
}

for (const field of new Set([...traffic, ...backend])) {
  const name = kebab(field);
  const schema = FILTERS.has(field) ? 'reference-impl/resources/gateway-api/http-route-filter.ts' : schemaFile(name);
  expectFile(schema, `the schema of ${field}`);
  const folder = traffic.includes(field) ? 'traffic' : 'backend';
  const file = `reference-impl/policies/${folder}/${name}`;
  // A policy of several files has a folder, and in it one of its own name.
  expectFile(existsSync(file) ? `${file}/${name}.ts` : `${file}.ts`, `the policy of ${field}`);
  if (!written.includes(`${field}:`)) problems.push(`no case writes ${field}`);
}

for (const [folder, fields] of [
  ['traffic', traffic],
  ['backend', [...traffic, ...backend]],
] as const) {
  for (const file of readdirSync(`reference-impl/policies/${folder}`)) {
    const asker = ASKED_ELSEWHERE[`${folder}/${file}`];
    if (asker !== undefined) {
      if (!readFileSync(asker, 'utf8').includes(`/policies/${folder}/${file}'`))
        problems.push(`${asker} does not ask policies/${folder}/${file}`);
    } else if (!fields.some((field) => kebab(field) === file.replace(/\.ts$/, '')))
      problems.push(`policies/${folder}/${file} has no row in a phase table`);
  }
}

for (const { field, phase } of RESPONSE) {
  const rows = { gateway: GATEWAY, route: ROUTE, backend: BACKEND }[phase];
  if (!rows.some((row) => row.field === field))
    problems.push(`the response list names ${field} of ${phase}, which has no row there`);
}

const LIBRARIES = 'docs/guide/libraries.md';
const explained = new Set(
  [...readFileSync(LIBRARIES, 'utf8').matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name),
);
const installed = dependencies();
for (const name of installed) if (!explained.has(name)) problems.push(`${LIBRARIES} has no row for ${name}`);
for (const name of explained)
  if (!installed.has(name)) problems.push(`${LIBRARIES} names ${name}, which is not installed`);

for (const problem of problems) console.error(`  ${problem}`);
console.log(`names: ${new Set([...traffic, ...backend]).size} fields, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

function expectFile(file: string, what: string): void {
  if (!existsSync(file)) problems.push(`${what} is missing: ${file}`);
}

function dependencies(): ReadonlySet<string> {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >;
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
  return new Set(kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {})));
}

function kebab(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function cases(): string {
  const folder = 'conformance/cases';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n');
}
