import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { UsageFault } from '../sut/session.ts';
import { makeFolder } from '../values/make-folder.ts';
import { packageRoot, packageVersion } from '../values/package-root.ts';
import { unreadable } from '../values/user-file.ts';
import { oneOf } from './options.ts';
import { print } from './suite.ts';

/** How a configuration reaches an implementation. */
const WAYS = {
  resources: 'it reads the resources of the documents from a folder',
  adapter: 'a program of mine translates them',
  kubernetes: 'an API server has them, and it runs already',
} as const;
type Way = keyof typeof WAYS;

/** What an adapter may be written in, and how it is started. */
const LANGUAGES = {
  python: { file: 'adapter.py', start: ['python3', '-B', 'adapter.py'] },
  typescript: { file: 'adapter.ts', start: ['node', 'adapter.ts'] },
  go: { file: 'adapter.go', start: ['go', 'run', 'adapter.go'] },
  shell: { file: 'adapter.sh', start: ['sh', 'adapter.sh'] },
} as const;
type Language = keyof typeof LANGUAGES;

const isWay = (word: string): word is Way => Object.hasOwn(WAYS, word);
const isLanguage = (word: string): word is Language => Object.hasOwn(LANGUAGES, word);

interface InitFlags {
  readonly name?: string;
  readonly way?: readonly string[];
  readonly language?: readonly string[];
  readonly command?: string;
  readonly ci: boolean;
  readonly out: string;
}

/** What the files are made of. */
interface Plan {
  readonly name: string;
  readonly way: Way;
  readonly language: Language;
  /** The words that start the implementation. */
  readonly command: readonly string[];
}

/** `conform init`: manifest, adapter and CI file to start from, after three questions, or none where flags answer them. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a manifest, an adapter and a CI file to start from; asks what no flag says')
    .option('--name <name>', 'name of the implementation')
    .option('--way <way>', `how a configuration reaches it: ${Object.keys(WAYS).join(', ')}`, oneOf(Object.keys(WAYS)))
    .option(
      '--language <language>',
      `of the adapter: ${Object.keys(LANGUAGES).join(', ')}`,
      oneOf(Object.keys(LANGUAGES)),
    )
    .option('--command <words>', 'what starts it, such as "./myproxy --config {dir} --port {data} --admin {admin}"')
    .option('--no-ci', 'no CI file')
    .option('--out <folder>', 'where the files go', 'conformance')
    .action(init);
}

async function write(file: string, text: string): Promise<void> {
  try {
    await makeFolder(path.dirname(file));
    await writeFile(file, text);
  } catch (error) {
    throw new UsageFault(`${file}: ${unreadable(error, 'written')}`);
  }
}

async function init(flags: InitFlags): Promise<void> {
  const files = await filesOf(await planOf(flags), flags);
  const there = files.filter(({ file }) => existsSync(file));
  if (there.length > 0)
    throw new UsageFault(`${there.map(({ file }) => file).join(', ')}: there already; nothing was written`);
  for (const { file, text } of files) {
    await write(file, text);
    print(`wrote ${file}`);
  }
  const manifest = path.join(flags.out, 'implementation.yaml');
  print(
    `next: conform run routing --impl ${manifest} (look for TODO first; the guide is docs/guide/plug-in-an-implementation.md)`,
  );
}

/** What no flag says is asked, where somebody is there to answer; otherwise it is what most want. */
async function planOf({ name, way, language, command }: InitFlags): Promise<Plan> {
  const asking = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;
  try {
    const ask = async (question: string, usual: string): Promise<string> => {
      const said = asking === undefined ? '' : (await asking.question(`${question} [${usual}] `)).trim();
      return said === '' ? usual : said;
    };
    const choices = Object.entries(WAYS).map(([word, text]) => `  ${word}: ${text}\n`);
    const chosenName = name ?? (await ask('What is the implementation called?', 'myproxy'));
    const chosenWay = way?.[0] ?? (await ask(`How does a configuration reach it?\n${choices.join('')}`, 'adapter'));
    const line = command ?? (await ask('What starts it?', './myproxy --config {dir} --port {data} --admin {admin}'));
    const chosenLanguage = language?.[0] ?? 'python';
    if (!isWay(chosenWay)) throw new UsageFault(`${chosenWay} is none of ${Object.keys(WAYS).join(', ')}`);
    if (!isLanguage(chosenLanguage))
      throw new UsageFault(`${chosenLanguage} is none of ${Object.keys(LANGUAGES).join(', ')}`);
    if (!/^[\w][\w. -]*$/.test(chosenName))
      throw new UsageFault(`--name ${chosenName}: letters, digits, blanks, dots and dashes`);
    return { name: chosenName, way: chosenWay, language: chosenLanguage, command: wordsOf(line) };
  } finally {
    asking?.close();
  }
}

/** Words of a command line; quotes keep blanks together. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

interface NewFile {
  readonly file: string;
  readonly text: string;
}

async function filesOf(plan: Plan, { out, ci }: InitFlags): Promise<readonly NewFile[]> {
  const manifest = { file: path.join(out, 'implementation.yaml'), text: manifestText(plan) };
  const known = { file: path.join(out, 'known-failures.yaml'), text: KNOWN };
  const { file } = LANGUAGES[plan.language];
  const adapter = plan.way === 'adapter' ? [{ file: path.join(out, file), text: await filled(file, plan, out) }] : [];
  const workflow = ci
    ? [{ file: '.github/workflows/conformance.yml', text: await filled('conformance.yml', plan, out) }]
    : [];
  return [manifest, known, ...adapter, ...workflow];
}

const KNOWN = `# Cases that are known not to pass, each with its reason: { case: ID, reason: TEXT }. An entry whose case passes makes a run red.
[]
`;

/** Skeleton with its places filled in. */
async function filled(name: string, { name: called, command }: Plan, out: string): Promise<string> {
  const text = await readFile(path.join(packageRoot(), 'examples/adapters', name), 'utf8');
  // Between the quotes of the skeleton, which is a good program as it is.
  const words = command.map((word) => JSON.stringify(word).slice(1, -1)).join('", "');
  const shell = command.map(
    (word) => `"${word.replaceAll(/["\\`$]/g, '\\$&').replaceAll(/\{(data|admin|dir)\}/g, '$$$1')}"`,
  );
  const values: Readonly<Record<string, string>> = {
    name: called,
    words,
    commandShell: shell.join(' '),
    version: packageVersion(),
    manifest: path.posix.join(out.split(path.sep).join('/'), 'implementation.yaml'),
  };
  return text.replaceAll(/\{\{(\w+)\}\}/g, (place, key: string) => values[key] ?? place);
}

function manifestText(plan: Plan): string {
  return `# yaml-language-server: $schema=../node_modules/proxy-conformance/schemas/implementation.schema.json
# How the conformance suite drives ${plan.name}: conform run --impl <this file>
contract: 1
implementation: { name: ${JSON.stringify(plan.name)} } # TODO version, language, url, contact
${RUN[plan.way](plan)}
known: known-failures.yaml
# What it can do. Start small and add features as they work (conform list --features); a case that needs more is unsupported.
features:
  core.http: yes
`;
}

const RUN: Readonly<Record<Way, (plan: Plan) => string>> = {
  resources: ({ command }) => `run:
  kind: process
  command: [${command.map((word) => quoted(placeholders(word))).join(', ')}]
  config: { deliver: directory, path: '{{dir}}', reload: watch }
  ready: { canary: true, within: 10s }
endpoints: { data: 'http://127.0.0.1:{{port.data}}', admin: 'http://127.0.0.1:{{port.admin}}' }`,
  adapter: ({
    language,
  }) => `run: { kind: adapter, requires: [${LANGUAGES[language].start[0]}], ready: { within: 10s } }
adapter: [${LANGUAGES[language].start.join(', ')}]`,
  kubernetes:
    () => `run: { kind: kubernetes, kubeconfig: ./kubeconfig, context: TODO, namespacePrefix: conf-, gatewayClass: TODO }
gateways: addressed # or shared, with endpoints.data`,
};

/** {data}, {admin} and {dir} as the manifest spells them. */
function placeholders(word: string): string {
  return word
    .replaceAll('{data}', '{{port.data}}')
    .replaceAll('{admin}', '{{port.admin}}')
    .replaceAll('{dir}', '{{dir}}');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "''")}'`;
}
