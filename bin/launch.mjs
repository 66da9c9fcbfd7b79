// Starts a command of this package: in a checkout its bundle, or the TypeScript source where that was changed since; in an installed
// package the built JavaScript.
// A Node older than 24 hands over to the Node 24 that optionalDependencies brought, if it is there, and that one ends with it.
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freshBundle, fromNode } from './bundle.mjs';

const { existsSync } = await fromNode('node:fs');
const { createRequire, enableCompileCache } = await fromNode('node:module');

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const MINIMUM = 24;
const HANDED_OVER = 'PROXY_CONFORMANCE_HANDED_OVER';

export async function launch(source) {
  if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
    const node = bundledNode();
    if (node === undefined) {
      console.error(`This command needs Node ${MINIMUM} or newer; this is Node ${process.versions.node}.`);
      process.exit(3);
    }
    await handOver(node);
    return;
  }
  endWithLauncher();
  enableCompileCache?.();
  await import(pathToFileURL(path.join(root, scriptOf(source))).href);
  endAtOnce();
}

function scriptOf(source) {
  if (!existsSync(path.join(root, source))) return path.join('dist', source.replace(/\.ts$/, '.js'));
  return freshBundle(root, source) ?? source;
}

function bundledNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`);
    const node = path.join(path.dirname(manifest), 'bin', 'node');
    return existsSync(node) ? node : undefined;
  } catch {
    return undefined;
  }
}

async function handOver(node) {
  const { spawn } = await fromNode('node:child_process');
  const PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PATH, [HANDED_OVER]: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exit(code ?? 3);
  });
}

// Node takes its environment apart when nothing is left to wait for, and has been seen to turn there for ever (Environment::CleanupHandles,
// after a run over HTTP/2 whose report was written); a process that says it ends is not taken apart. Only a command
// that came to its end says so: one that waits for what never comes ends with the code Node has for that.
function endAtOnce() {
  process.on('beforeExit', () => process.exit());
}

// A launcher that is killed cannot pass that on, but its end of the channel closes.
function endWithLauncher() {
  if (process.env[HANDED_OVER] === undefined) return;
  // What this process starts was not handed over.
  delete process.env[HANDED_OVER];
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
