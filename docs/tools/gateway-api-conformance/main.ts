// `npm run gateway-api`: the conformance suite of the Gateway API against the reference, behind a real Kubernetes API server. What a cluster has
// beside one is played by the files beside this one. See README.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { install } from '../real-api-server/install.ts';
import { buildPrograms, PROGRAMS } from '../real-api-server/programs.ts';
import { startServer } from '../real-api-server/start-server.ts';
import { must } from './kubelet.ts';
import { createPodNetwork } from './pod-network.ts';
import { startStage } from './stage.ts';
import { buildSuite, ECHO, runSuite, type TestResult } from './suite.ts';

const FOLDER = 'docs/tools/gateway-api-conformance';
const GATEWAY_CLASS = 'reference';
/** The name the reference has as a controller. */
const CONTROLLER_NAME = 'proxy.example/controller';
const GATEWAY_CLASSES = '/apis/gateway.networking.k8s.io/v1/gatewayclasses';

const [first, ...others] = process.argv.slice(2);
if (first === '--inside') await runInside(others);
else runInNamespace(process.argv.slice(2));

/** What has to be fetched and built is so here: inside, nothing is to be reached. */
function runInNamespace(tests: readonly string[]): void {
  buildPrograms();
  buildSuite();
  const program = [process.execPath, `${FOLDER}/main.ts`, '--inside', ...tests];
  const { status } = spawnSync('unshare', ['--net', ...program], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

async function runInside(tests: readonly string[]): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-api-'));
  const end: (() => unknown)[] = [];
  const ending = new AbortController();
  const leave = async (): Promise<void> => {
    ending.abort();
    for (const step of end.toReversed()) await step();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      void leave().then(() => process.exit(1));
    });
  try {
    // Brings loopback up, without which nothing starts.
    const network = createPodNetwork();
    const { client, kubeconfig, stop } = await startServer(PROGRAMS);
    end.push(stop);
    await install(client);
    const stage = await startStage({ client, network, controllerName: CONTROLLER_NAME, echo: ECHO, folder });
    end.push(stage.stop);
    await must(client, 'POST', GATEWAY_CLASSES, {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: GATEWAY_CLASS },
      spec: { controllerName: CONTROLLER_NAME },
    });
    const { features, known } = expectations();
    const { signal } = ending;
    report(await runSuite({ kubeconfig, gatewayClass: GATEWAY_CLASS, features, tests, signal }), known);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  await leave();
  // Watches of the server that is gone would be tried again for ever.
  process.exit();
}

/** What of the suite is asked, and which of its tests are not passed, for which reason. */
interface Expectations {
  readonly features: readonly string[];
  readonly known: Readonly<Record<string, string>>;
}

function expectations(): Expectations {
  return parse(readFileSync(path.join(FOLDER, 'expectations.yaml'), 'utf8')) as Expectations;
}

/** The exit code says whether everything is as expected. */
function report(results: readonly TestResult[], known: Readonly<Record<string, string>>): void {
  const asked = results.filter(({ outcome }) => outcome !== 'SKIP');
  const failed = asked.filter(({ outcome }) => outcome === 'FAIL').map(({ test }) => test);
  const unknown = failed.filter((test) => known[test] === undefined);
  const gone = asked.filter(({ test, outcome }) => outcome === 'PASS' && known[test] !== undefined);
  for (const test of failed) console.log(`${test}: ${known[test] ?? 'FAILED'}`);
  for (const { test } of gone) console.log(`${test} passes, and expectations.yaml says why it does not`);
  console.log(
    `${asked.length} tests: ${asked.length - failed.length} passed, ${failed.length} not, ${unknown.length} of these without a reason`,
  );
  process.exitCode = unknown.length + gone.length === 0 ? 0 : 1;
}
