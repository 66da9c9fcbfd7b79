// `npm run bundle`, which is part of `npm ci` in a checkout: one bundle for each command, read by bin/launch.mjs. It is JavaScript
// so that any Node can run it; without a bundle everything works, only slower, so nothing that goes wrong here fails an installation.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleName, FOLDER, stampOf } from '../../bin/bundle.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const COMMANDS = ['conformance/runner/main.ts', 'reference-impl/main.ts'];
/** As the bundler writes it: everything, the module itself, members, or the last two. */
const IMPORT_OF_NODE = /^import (?:\* as ([\w$]+)|([\w$]+)?(?:, )?(?:\{([^}]*)\})?) from "(node:[^"]+)";$/gm;
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
    plugins: [stamped, { name: 'places', transform: keepPlace }, { name: 'of-node', renderChunk: takeFromNode }],
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
 * An import of a module of Node reads each of its members, and some of them load what nobody asked for: a client of browsers (50 ms of every
 * process that says `node:http`), readline, workers. What is taken from the module itself leaves the others alone.
 */
function takeFromNode(code) {
  return code.replaceAll(IMPORT_OF_NODE, (_, every, whole = every, members, id) => {
    const names = [...(whole ? [whole] : []), ...(members ? [`{${members.replaceAll(' as ', ': ')}}`] : [])];
    return `const ${names.map((name) => `${name} = globalThis.process.getBuiltinModule('${id}')`).join(', ')};`;
  });
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
