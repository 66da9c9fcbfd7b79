// `npm run publish:results -- [NAME...]`: runs the whole suite against the implementations that this repository plugs in and puts their
// conformance results into reports/. `npm run generate` makes docs/generated/implementations.md from them.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatted } from './formatted.ts';

interface Published {
  readonly name: string;
  /** The manifest, unless it is the one that `conform run` takes by itself. */
  readonly manifest?: string;
  /** What has to be there; where to get it stands in the README of the example. */
  readonly program?: { readonly name: string; readonly orFile?: string };
}

const PUBLISHED: readonly Published[] = [
  { name: 'reference' },
  example('envoy', { name: 'envoy', orFile: '.cache/envoy/envoy' }),
  example('nginx', { name: 'nginx' }),
  example('haproxy', { name: 'haproxy' }),
  example('portkey', { name: 'Portkey', orFile: 'node_modules/@portkey-ai/gateway/package.json' }),
  example('litellm', { name: 'LiteLLM', orFile: '.cache/litellm/bin/python' }),
  example('envoy-ai-gateway', { name: 'Envoy AI Gateway', orFile: '.cache/envoy-ai-gateway/extproc' }),
  example('fastmcp', { name: 'FastMCP', orFile: '.cache/fastmcp/bin/python' }),
  example('tiny-proxy', { name: 'python3' }),
];

function example(name: string, program: Published['program']): Published {
  return { name, manifest: `examples/${name}/implementation.yaml`, ...(program && { program }) };
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !PUBLISHED.some((one) => one.name === name));
if (unknown.length > 0)
  throw new Error(`${unknown.join(', ')}: known are ${PUBLISHED.map(({ name }) => name).join(', ')}`);
for (const one of PUBLISHED) {
  if (asked.length > 0 && !asked.includes(one.name)) continue;
  if (lacks(one)) console.log(`${one.name}: not run: this machine has no ${one.program?.name ?? ''}`);
  else await publish(one);
}

async function publish({ name, manifest }: Published): Promise<void> {
  const out = `.cache/published/${name}`;
  const command = ['run', ...(manifest === undefined ? [] : ['--impl', manifest]), '--submit', '--no-regressions'];
  // What an earlier run left there would be published if this one ended early.
  rmSync(out, { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, ['bin/conform.mjs', ...command, '--out', out], { stdio: 'inherit' });
  const result = path.join(out, 'result.yaml');
  if (!existsSync(result)) throw new Error(`${name}: the run ended with ${status ?? 'a signal'} and without a result`);
  const folder = `reports/${name}`;
  mkdirSync(folder, { recursive: true });
  copyFileSync(result, path.join(folder, 'result.yaml'));
  const readme = path.join(folder, 'README.md');
  const text = aboutIt(name, `npx conform ${command.join(' ')}`, manifest);
  writeFileSync(readme, await formatted(readme, text));
}

function aboutIt(name: string, command: string, manifest: string | undefined): string {
  const readme = manifest === undefined ? 'reference-impl/README.md' : `${path.dirname(manifest)}/README.md`;
  return [
    `# Result of ${name}`,
    '',
    `[result.yaml](result.yaml) is what this command left in its folder of reports (see [its README](../../${readme}) for what it needs):`,
    '',
    '```sh',
    command,
    '```',
    '',
    'The digest in it is that of `report.json`, which is too large to be kept here. Numbers of seconds and the order of cases differ from run to run,',
    'and with them the digest; verdicts do not.',
    '',
  ].join('\n');
}

function lacks({ program }: Published): boolean {
  if (program === undefined || (program.orFile !== undefined && existsSync(program.orFile))) return false;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return !folders.some((folder) => existsSync(path.join(folder, program.name)));
}
