import path from 'node:path';
import { FOR_CONTAINER } from '../container/variables.ts';
import { parseDuration } from '../duration.ts';
import type { Manifest } from '../manifest.ts';
import type { Session } from '../session.ts';
import { startProcessSession } from './process.ts';

type ContainerRun = Extract<Manifest['run'], { readonly kind: 'container' }>;
type ProcessRun = Extract<Manifest['run'], { readonly kind: 'process' }>;

/** After the time that a container has to end, its engine has this long to say so. */
const ENGINE_MS = 15_000;

/**
 * Starts the implementation as a container on the network of this machine: as a process that keeps a container. What it prints is the log,
 * signals reach it, and it is removed when it has ended. Throws ImplementationFault.
 */
export async function startContainerSession(manifest: Manifest, run: ContainerRun): Promise<Session> {
  return startProcessSession(manifest, asProcess(run, manifest));
}

function asProcess(run: ContainerRun, { folder, extraEnv }: Manifest): ProcessRun {
  const { image, command, env, mounts, user, stop, config, ready, requires, log } = run;
  const here = import.meta.dirname;
  const hold = path.join(here, `../container/hold${path.extname(import.meta.filename)}`);
  const stopMs = parseDuration(stop.within) ?? 5000;
  // The folder of the run has the same name inside, so that commands and paths mean the same on both sides.
  const seen = ['{{dir}}:{{dir}}', ...mounts.map((mount) => absolute(mount, folder))];
  return {
    kind: 'process',
    command: [
      process.execPath,
      hold,
      `--image=${image}`,
      `--user=${user ?? ownUser()}`,
      `--stop-signal=SIG${stop.signal.replace(/^SIG/, '')}`,
      `--stop-within-ms=${stopMs}`,
      ...seen.map((mount) => `--mount=${mount}`),
      '--',
      ...(command ?? []),
    ],
    env: Object.fromEntries(
      Object.entries({ ...env, ...extraEnv }).map(([name, value]) => [`${FOR_CONTAINER}${name}`, value]),
    ),
    stop: { signal: stop.signal, within: `${stopMs + ENGINE_MS}ms` },
    config,
    ready,
    requires,
    log,
  };
}

/** Relative to the manifest, unless it begins with a placeholder. */
function absolute(mount: string, folder: string): string {
  const [source = '', ...rest] = mount.split(':');
  return [source.startsWith('{{') ? source : path.resolve(folder, source), ...rest].join(':');
}

/** The user that can read the folder of the run; of a system without users whatever the image says. */
function ownUser(): string {
  return process.getuid === undefined || process.getgid === undefined ? '' : `${process.getuid()}:${process.getgid()}`;
}
