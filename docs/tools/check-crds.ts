// Asks the code of an API server (docs/tools/crd-check, in Go) whether it takes our CustomResourceDefinitions and what their rules cost, and
// compares what it would say of every document of the cases, and of some of them with one change, with what the reference says. Routes and
// Gateways of the cases have to be taken by the definitions of the Gateway API.
// `--costs` lists the dearest rules, `--changes N` draws that many changes.
import { mkdirSync, readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { gatewayDefinitions } from './gateway-definitions.ts';
import {
  type CaseDocument,
  caseDocuments,
  knownDifferences,
  linesOf,
  referenceVerdicts,
  run,
  unexplained,
  type Verdict,
} from './verdicts.ts';
import { changedDocuments } from './crd-check/changed-documents.ts';

const TOOL = 'docs/tools/crd-check';
const PROGRAM = path.resolve('.cache/crd-check/crd-check');
const DEFINITIONS = 'reference-impl/crds';
const SHOWN_RULES = 10;
const CHANGES = 5000;
const GATEWAY_GROUP = 'gateway.networking.k8s.io';
/** What cases hand over of it. */
const GATEWAY_KINDS = ['gatewayclasses', 'gateways', 'httproutes', 'listenersets', 'referencegrants'] as const;
const NO_NETWORK = /module lookup disabled|dial tcp|no such host|i\/o timeout|proxyconnect|connection refused/;
/** The bytes of all annotations of an object together. */
const ANNOTATION_LIMIT = 262_144;

interface Definition {
  readonly file: string;
  readonly errors: readonly string[];
  readonly bytes: number;
  readonly rules: readonly { readonly path: string; readonly rule: string; readonly cost: number }[];
  readonly totalCost: number;
  readonly ruleLimit: number;
  readonly totalLimit: number;
}

const lacking = buildProgram();
if (lacking !== undefined) {
  console.log(`not run: ${lacking}`);
  process.exit(0);
}
const all = caseDocuments();
const written = all.filter(({ resource }) => isOurs(resource) && !isOfGatewayApi(resource));
const random = seededRandom(Number(process.env['PROPERTY_SEED'] ?? 1));
const documents = [...written, ...changedDocuments(written, numberAfter('--changes') ?? CHANGES, random)];
const files = readdirSync(DEFINITIONS).map((name) => path.join(DEFINITIONS, name));
const answers = answersTo(documents, files);
const definitions = answers.flatMap((answer) => ('definition' in answer ? [answer.definition as Definition] : []));
const server = verdictsIn(answers);
const reference = referenceVerdicts(documents);

const problems = [
  ...refusedByGatewayApi(oneOfEachShape(all.filter(({ resource }) => isOfGatewayApi(resource)))),
  ...definitions.flatMap(problemsOf),
  ...unexplained(
    documents.map(({ id }, index) => ({ id, server: at(server, index), reference: at(reference, index) })),
    knownDifferences(path.join(TOOL, 'differences.yaml')),
  ),
];
for (const definition of definitions) describe(definition);
console.log(
  `${written.length} documents and ${documents.length - written.length} changed ones, ${server.filter(({ accepted }) => accepted).length} of them accepted`,
);
for (const problem of problems) console.log(problem);
process.exit(problems.length === 0 ? 0 : 1);

/** What the definitions of the Gateway API refuse: no case hands over a wrong one on purpose. */
function refusedByGatewayApi(theirs: readonly CaseDocument[]): readonly string[] {
  const folder = fetched(gatewayDefinitions);
  if (folder === undefined) {
    console.log('not judged: Gateways and routes, whose definitions cannot be fetched');
    return [];
  }
  const theirFiles = GATEWAY_KINDS.map((kind) => path.join(folder, `${GATEWAY_GROUP}_${kind}.yaml`));
  const refused = verdictsIn(answersTo(theirs, theirFiles)).filter(({ accepted }) => !accepted);
  console.log(`${theirs.length} shapes of Gateways and routes, ${theirs.length - refused.length} of them accepted`);
  return refused.map(
    ({ id, errors }) => `${id} is refused by the definitions of the Gateway API: ${errors.join('; ')}`,
  );
}

function fetched<Found>(fetch: () => Found): Found | undefined {
  try {
    return fetch();
  } catch (error) {
    if (error instanceof Error && NO_NETWORK.test(error.message)) return undefined;
    throw error;
  }
}

/** Thousands differ by names, ports and hosts alone. */
function oneOfEachShape(theirs: readonly CaseDocument[]): readonly CaseDocument[] {
  const shapes = new Map<string, CaseDocument>();
  for (const document of theirs) {
    const { kind, spec } = document.resource;
    const shape = `${String(kind)} ${JSON.stringify(spec)}`.replaceAll(/\b[0-9a-f]{8}\b/g, '');
    if (!shapes.has(shape)) shapes.set(shape, document);
  }
  return [...shapes.values()];
}

/** What the program says of the definitions, then of the documents, in their order. */
function answersTo(asked: readonly CaseDocument[], definitionFiles: readonly string[]): readonly object[] {
  const input = asked.map((document) => `${JSON.stringify(document)}\n`).join('');
  return linesOf(run(PROGRAM, definitionFiles, input)).map((line) => JSON.parse(line) as object);
}

function verdictsIn(said: readonly object[]): readonly (Verdict & { readonly id: string })[] {
  return said.filter((one) => !('definition' in one)) as readonly (Verdict & { readonly id: string })[];
}

/** Builds the program from what this machine has, else from the network; says why it cannot be built. */
function buildProgram(): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return 'this machine has no Go';
  mkdirSync(path.dirname(PROGRAM), { recursive: true });
  for (const proxy of ['off', undefined]) {
    const env = { ...process.env, ...(proxy !== undefined && { GOPROXY: proxy }) };
    const { status, stderr } = spawnSync('go', ['build', '-o', PROGRAM, '.'], { cwd: TOOL, env, encoding: 'utf8' });
    if (status === 0) return undefined;
    if (/requires go >=|toolchain not available/.test(stderr))
      return `the Go of this machine is too old: ${stderr.trim()}`;
    // A mistake in the program is no lack of this machine.
    if (!NO_NETWORK.test(stderr)) throw new Error(stderr);
  }
  return `the modules of ${TOOL} cannot be fetched`;
}

/** Numbers from 0 to 1 that the seed determines (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32;
  };
}

function numberAfter(option: string): number | undefined {
  const index = process.argv.indexOf(option);
  return index < 0 ? undefined : Number(process.argv[index + 1]);
}

function isOfGatewayApi({ apiVersion }: Readonly<Record<string, unknown>>): boolean {
  return String(apiVersion).startsWith(`${GATEWAY_GROUP}/`);
}

function isOurs({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  return /^Proxy/i.test(String(kind)) || /^proxy\./i.test(String(apiVersion));
}

function problemsOf({ file, errors, bytes }: Definition): readonly string[] {
  const tooLong =
    bytes > ANNOTATION_LIMIT ? [`${file}: kubectl apply keeps ${bytes} bytes of ${ANNOTATION_LIMIT}`] : [];
  return [...errors.map((error) => `${file}: ${error}`), ...tooLong];
}

function describe({ file, bytes, rules, totalCost, ruleLimit, totalLimit }: Definition): void {
  const dearest = rules.toSorted((one, other) => other.cost - one.cost);
  const share = percent(dearest[0]?.cost ?? 0, ruleLimit);
  console.log(
    `${path.basename(file)}: ${rules.length} rules, the dearest at ${share} of what one may cost, all at ${percent(totalCost, totalLimit)}; ` +
      `kubectl apply keeps ${bytes} bytes`,
  );
  if (!process.argv.includes('--costs')) return;
  for (const { cost, path: place, rule } of dearest.slice(0, SHOWN_RULES))
    console.log(`  ${String(cost).padStart(9)}  ${place}: ${rule}`);
}

function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 1000) / 10} %`;
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`no answer for document ${index + 1}`);
  return item;
}
