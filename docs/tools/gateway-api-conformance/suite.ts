import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const FOLDER = 'docs/tools/gateway-api-conformance';
const CACHE = path.resolve('.cache/gateway-api');
const MODULE = 'sigs.k8s.io/gateway-api/conformance';
const SUITE = path.join(CACHE, 'conformance.test');

/** The program that every Pod of the suite runs. */
export const ECHO = path.join(CACHE, 'echo-basic');

/** What became of one test of the suite, and the lines that say why. */
export interface TestResult {
  readonly test: string;
  readonly outcome: 'PASS' | 'FAIL' | 'SKIP';
}

/** What is asked of the suite. */
export interface Request {
  readonly kubeconfig: string;
  readonly gatewayClass: string;
  readonly features: readonly string[];
  /** Names of tests; all that the features need where none is named. */
  readonly tests: readonly string[];
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** Builds the suite and its echo server from their module; Go sees when nothing has to be done. */
export function buildSuite(): void {
  mkdirSync(CACHE, { recursive: true });
  go('test', '-c', '-vet=off', '-ldflags', '-s -w', '-o', SUITE, MODULE);
  go('build', '-ldflags', '-s -w', '-o', ECHO, `${MODULE}/echo-basic`);
}

function go(...args: readonly string[]): void {
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { status, error } = spawnSync('go', args, { cwd: FOLDER, stdio: 'inherit', env });
  if (status !== 0) throw new Error(`the suite cannot be built: ${error?.message ?? 'see above'}`);
}

/** What a test waits for a steady answer, in seconds; the suite allows twice that, and on one machine nothing has to spread. */
const PATIENCE: Readonly<Record<string, number>> = { MaxTimeToConsistency: 15 };

/** Runs the suite and returns what became of its tests. The whole log is in `.cache/gateway-api/suite.log`. */
export async function runSuite(request: Request): Promise<readonly TestResult[]> {
  const log = createWriteStream(path.join(CACHE, 'suite.log'));
  const results: TestResult[] = [];
  // One at a time, where some are named: that is how the suite takes them.
  for (const test of request.tests.length === 0 ? [undefined] : request.tests)
    results.push(...(await runOnce(request, test, (line) => log.write(`${line}\n`))));
  log.end();
  return results;
}

async function runOnce(
  { kubeconfig, gatewayClass, features, signal }: Request,
  test: string | undefined,
  onLine: (line: string) => void,
): Promise<readonly TestResult[]> {
  const flags = [
    `--gateway-class=${gatewayClass}`,
    '--conformance-profiles=GATEWAY-HTTP',
    `--supported-features=${features.join(',')}`,
    '--cleanup-base-resources=false',
    `--timeout-config-overrides=${Object.entries(PATIENCE)
      .map(([name, seconds]) => `${name}:${seconds}`)
      .join(';')}`,
    ...(test === undefined ? [`--report-output=${path.join(CACHE, 'report.yaml')}`] : [`--run-test=${test}`]),
    ...['organization', 'project', 'url', 'contact'].map((name) => `--${name}=reference`),
    '--version=0.1.0',
  ];
  const child = spawn(
    SUITE,
    ['-test.v', '-test.run=^TestConformance$', '-test.timeout=0', '-test.parallel=1', ...flags],
    {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    },
  );
  // Ended early.
  child.once('error', () => undefined);
  const results: TestResult[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      onLine(line);
      const [, outcome, name = ''] = /^ {4}--- (PASS|FAIL|SKIP): TestConformance\/(\w+) /.exec(line) ?? [];
      if (outcome === undefined || (outcome === 'SKIP' && test !== undefined)) return;
      results.push({ test: name, outcome: outcome as TestResult['outcome'] });
    });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (results.length === 0)
    throw new Error(`the suite ran no test (${String(code)}): see .cache/gateway-api/suite.log`);
  return results;
}
