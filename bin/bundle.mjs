// Hundreds of source files cost more to load than they cost to run, so `npm ci` puts them into bundles (docs/tools/bundle.mjs).
// A bundle is used while each source it was made of is as it was; otherwise the sources are, and nobody has to remember anything.
import path from 'node:path';

/** A module of Node without what loads when an import reads all of its members; a Node that is too old for that reads them. */
export const fromNode = async (id) => process.getBuiltinModule?.(id) ?? import(id);

const { readFileSync, statSync } = await fromNode('node:fs');

/**
 * @typedef {object} Bundle What `.cache/bundles/NAME.json` says.
 * @property {string} root the folder it was made in: it holds paths of that folder
 * @property {string} main its first file, from the root
 * @property {Record<string, string>} inputs the stamp of every source and of the lock file, by path from the root
 */

export const FOLDER = '.cache/bundles';

/** The name of a command's bundle: `conformance` for `conformance/runner/main.ts`. */
export const bundleName = (source) => source.slice(0, source.indexOf('/'));

const MAY_BE_GONE = { throwIfNoEntry: false };

/** Changes whenever a file does, as build tools take it; undefined for a file that is gone. */
export function stampOf(file) {
  const found = statSync(file, MAY_BE_GONE);
  return found && `${found.mtimeMs} ${found.size}`;
}

/**
 * Returns the bundle of a command, from the root, or undefined where there is none that says what the sources say.
 * Hooks of `--import` are there to change sources as they are loaded, so they get sources.
 */
export function freshBundle(root, source, hooks = [...process.execArgv, process.env.NODE_OPTIONS ?? '']) {
  if (hooks.some((option) => option.includes('--import'))) return undefined;
  const bundle = readBundle(path.join(root, FOLDER, `${bundleName(source)}.json`));
  if (bundle?.root !== root) return undefined;
  // Hundreds of files at each start of a command, before anything is compiled: joining their paths properly costs as much as looking at them.
  const isFresh = Object.entries(bundle.inputs).every(([file, stamp]) => stampOf(`${root}/${file}`) === stamp);
  return isFresh ? bundle.main : undefined;
}

/** @returns {Bundle | undefined} */
function readBundle(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // There is none, or somebody is writing it.
    return undefined;
  }
}
