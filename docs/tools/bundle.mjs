// `npm run bundle`, which is part of `npm ci` in a checkout: one bundle for each command, read by bin/launch.mjs. It is JavaScript
// so that any Node can run it; without a bundle everything works, only slower, so nothing that goes wrong here fails an installation.
import http from 'node:http';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleName, FOLDER, stampOf } from '../../bin/bundle.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const COMMANDS = ['conformance/runner/main.ts', 'reference-impl/main.ts'];
/** Members of `node:http` that load a whole client as they are read. */
const OF_BROWSERS = ['WebSocket', 'CloseEvent', 'MessageEvent'];
/** What packages are installed; what they hold belongs to that. */
const LOCK = 'package-lock.json';

try {
  const { rolldown } = await import('rolldown');
  rmSync(path.join(ROOT, FOLDER), { recursive: true, force: true });
  for (const source of COMMANDS) await writeBundle(rolldown, source);
} catch (error) {
  console.log(`no bundles, the sources are used: ${error instanceof Error ? error.message : String(error)}`);
}

async function writeBundle(rolldown, source) {
  const name = bundleName(source);
  const inputs = { [LOCK]: stampOf(path.join(ROOT, LOCK)) };
  // Stamped as they are read: what changes meanwhile is told by its stamp afterwards.
  const stamped = { name: 'stamped', load: (id) => stamp(inputs, id) };
  const built = await rolldown({
    cwd: ROOT,
    input: path.join(ROOT, source),
    platform: 'node',
    logLevel: 'silent',
    plugins: [stamped, { name: 'places', transform: keepPlace }, plainHttp()],
  });
  const folder = path.join(FOLDER, name);
  await built.write({ dir: path.join(ROOT, folder), format: 'esm' });
  await built.close();
  const bundle = { root: ROOT, main: path.join(folder, 'main.js'), inputs };
  const file = path.join(ROOT, FOLDER, `${name}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(bundle));
  renameSync(`${file}.new`, file);
  console.log(`${folder}: ${Object.keys(inputs).length - 1} sources`);
}

/**
 * An import of `node:http` reads each of its members, and three of them are classes of browsers that load a client nobody asked for:
 * 50 ms of every process. What is taken from the module itself leaves those three alone.
 */
function plainHttp() {
  const place = '\0node:http';
  return {
    name: 'plain-http',
    resolveId: (id, _, { kind }) => (id === 'node:http' && kind === 'import-statement' ? place : undefined),
    load: (id) => (id === place ? httpModule() : undefined),
  };
}

function httpModule() {
  const names = Object.keys(http).filter((name) => !OF_BROWSERS.includes(name));
  return `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${names.join(', ')} } = http;`;
}

/** Notes the state of a source of ours; those of packages belong to the lock file. */
function stamp(inputs, id) {
  const file = path.relative(ROOT, id);
  if (id.startsWith('\0') || file.startsWith('..') || file.startsWith('node_modules')) return;
  inputs[file] = stampOf(id);
}

/** Whoever asks where it lies (to find its data files, or its worker) hears where its source does. */
function keepPlace(code, id) {
  if (id.startsWith('\0') || !code.includes('import.meta.')) return undefined;
  const told = { url: pathToFileURL(id).href, filename: id, dirname: path.dirname(id) };
  return code.replaceAll(/\bimport\.meta\.(url|filename|dirname)\b/g, (_, what) => JSON.stringify(told[what]));
}
