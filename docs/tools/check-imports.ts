// Runs the import law over the whole repository, proves that it saw every file, and proves that each kind of rule can fail.
import { cruise, type IReporterOutput, type ICruiseResult } from 'dependency-cruiser';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import law, { chapters, mocks, runner } from '../../.dependency-cruiser.mjs';

const ROOTS = ['reference-impl', 'conformance', 'mocks', 'docs/tools', 'bench'];

/** One forbidden import per kind of rule: the importing file, the imported one. All must be reported. */
const PLANTED: readonly (readonly [from: string, to: string])[] = [
  ['reference-impl/base/planted.ts', 'reference-impl/pipeline/target.ts'],
  ['reference-impl/cel/planted.ts', 'reference-impl/policies/policy.ts'],
  ['reference-impl/trace/planted.ts', 'reference-impl/admin/target.ts'],
  ['reference-impl/credentials/planted.ts', 'reference-impl/policies/policy.ts'],
  ['reference-impl/resources/planted.ts', 'conformance/runner/values/target.ts'],
  ['reference-impl/resources/planted2.ts', 'docs/tools/target.ts'],
  ['conformance/runner/steps/planted.ts', 'reference-impl/base/target.ts'],
  ['mocks/upstreams/planted.ts', 'reference-impl/base/target.ts'],
  ['conformance/runner/steps/planted2.ts', 'mocks/target.ts'],
  ['conformance/runner/values/planted.ts', 'conformance/runner/report/target.ts'],
  ['mocks/planted.ts', 'conformance/runner/values/target.ts'],
  ['mocks/upstreams/planted2.ts', 'mocks/idp/target.ts'],
  ['mocks/grpc/planted.ts', 'mocks/ext-auth/target.ts'],
  ['mocks/tls/planted.ts', 'mocks/grpc/target.ts'],
  ['reference-impl/policies/traffic/planted.ts', 'reference-impl/policies/traffic/other.ts'],
  ['reference-impl/admin/planted.ts', 'reference-impl/server/target.ts'],
  ['reference-impl/cli/planted.ts', 'reference-impl/main.ts'],
  ['docs/tools/planted.ts', 'reference-impl/pipeline/target.ts'],
  ['reference-impl/exchange/planted.ts', 'node:net'],
  ['reference-impl/attachment/planted.ts', 'node:fs'],
  ['reference-impl/attachment/policies/planted.ts', 'reference-impl/attachment/backends/target.ts'],
  ['reference-impl/attachment/age.ts', 'reference-impl/attachment/routes/target.ts'],
  ['reference-impl/attachment/status/planted.ts', 'reference-impl/attachment/view.ts'],
  ['reference-impl/attachment/models/planted.ts', 'reference-impl/attachment/links.ts'],
];

async function violations(baseDir: string, roots: readonly string[]): Promise<ICruiseResult> {
  const options = { ...law.options, baseDir, validate: true, ruleSet: { forbidden: law.forbidden } };
  const result: IReporterOutput = await cruise([...roots], options as Parameters<typeof cruise>[1]);
  if (typeof result.output === 'string') throw new Error('dependency-cruiser returned text instead of a result');
  return result.output;
}

function typeScriptFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('/wire/'));
}

async function checkRepository(): Promise<string[]> {
  const roots = ROOTS.filter((root) => readdirSync('.').includes(root.split('/')[0] ?? root));
  const result = await violations(process.cwd(), roots);
  const cruised = result.modules.filter(
    (module) => /\.tsx?$/.test(module.source) && !module.couldNotResolve && !module.source.includes('node_modules'),
  );
  const files = roots.flatMap((root) => typeScriptFiles(root));
  const problems = result.summary.violations.map((found) => `${found.rule.name}: ${found.from} -> ${found.to}`);
  if (cruised.length !== files.length) {
    const seen = new Set(cruised.map((module) => module.source));
    const missed = files.filter((file) => !seen.has(file));
    problems.push(`the law saw ${cruised.length} of ${files.length} TypeScript files; not seen: ${missed.join(', ')}`);
  }
  console.log(`imports: ${cruised.length} of ${files.length} files cruised, ${problems.length} problems`);
  return problems;
}

async function checkThatRulesCanFail(): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'import-law-'));
  try {
    for (const [from, to] of PLANTED) {
      const target = to.startsWith('node:') ? to : path.relative(path.dirname(from), to);
      write(
        path.join(folder, from),
        `import '${target.startsWith('.') || to.startsWith('node:') ? target : `./${target}`}';\n`,
      );
      if (!to.startsWith('node:')) write(path.join(folder, to), 'export const target = 1;\n');
    }
    write(
      path.join(folder, 'reference-impl/base/one.ts'),
      "import type { Two } from './two.ts';\nexport type One = Two;\n",
    );
    write(
      path.join(folder, 'reference-impl/base/two.ts'),
      "import type { One } from './one.ts';\nexport type Two = One;\n",
    );
    const result = await violations(folder, ['reference-impl', 'conformance', 'mocks', 'docs']);
    const caught = new Set(result.summary.violations.map((found) => found.from));
    const missed = PLANTED.map(([from]) => from).filter((from) => !caught.has(from));
    if (!result.summary.violations.some((found) => found.rule.name === 'no cycles')) missed.push('a type-only cycle');
    console.log(`imports: ${PLANTED.length + 1 - missed.length} of ${PLANTED.length + 1} planted violations caught`);
    return missed.map((from) => `planted violation not caught: ${from}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The law names every folder of code there is, and none that is not. */
function checkFolders(): string[] {
  const named: readonly (readonly [root: string, names: readonly string[]])[] = [
    ['reference-impl', chapters],
    ['conformance/runner', runner],
    ['mocks', [...mocks.shared, ...mocks.kinds]],
  ];
  return named.flatMap(([root, names]) => {
    const there = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'test')
      .map(({ name }) => name)
      .filter((name) =>
        readdirSync(path.join(root, name), { recursive: true }).some((file) => String(file).endsWith('.ts')),
      );
    return [
      ...there.filter((name) => !names.includes(name)).map((name) => `the import law does not name ${root}/${name}`),
      ...names
        .filter((name) => !there.includes(name))
        .map((name) => `the import law names ${root}/${name}, which is not`),
    ];
  });
}

const problems = [...checkFolders(), ...(await checkRepository()), ...(await checkThatRulesCanFail())];
for (const problem of problems) console.error(`  ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
