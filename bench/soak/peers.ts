import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../conformance/runner/sut/ports.ts';
import { type PeerName, PEERS, SCRIPTS } from './routes.ts';

/** The peers, each `conform mocks up` in a process that can be killed. */
export interface SoakPeers {
  readonly ports: Readonly<Record<PeerName, number>>;
  /** Kills one without a word and starts it again on the same port. */
  readonly restart: (name: PeerName) => Promise<void>;
  readonly stop: () => void;
}

export async function startPeers(folder: string): Promise<SoakPeers> {
  const running = new Map<PeerName, ChildProcess>();
  const ports: Partial<Record<PeerName, number>> = {};
  for (const name of PEERS) ports[name] = await freePort();
  const stop = (): void => {
    for (const child of running.values()) child.kill('SIGKILL');
  };
  const started = await Promise.allSettled(PEERS.map(start));
  for (const outcome of started) {
    if (outcome.status === 'fulfilled') continue;
    stop();
    throw outcome.reason;
  }

  async function start(name: PeerName): Promise<void> {
    const script = path.join(folder, `${name}.json`);
    writeFileSync(script, JSON.stringify(SCRIPTS[name]));
    const rest = ['mocks', 'up', '--kind', String(SCRIPTS[name]['kind']), '--name', name];
    const child = spawn('node', ['bin/conform.mjs', ...rest, '--port', String(ports[name]), '--script', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.set(name, child);
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', () => resolve());
      child.once('exit', (code) => reject(new Error(`peer ${name} ended with ${code ?? 'a signal'}`)));
    });
    child.removeAllListeners('exit');
    child.stdout.resume();
  }

  return {
    ports: ports as Record<PeerName, number>,
    restart: async (name) => {
      const child = running.get(name);
      if (child !== undefined) {
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await gone;
      }
      await start(name);
    },
    stop,
  };
}
