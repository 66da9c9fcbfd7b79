import type { Command } from 'commander';
import { cleanCluster } from '../sut/kubernetes/clean-cluster.ts';
import { loadManifest } from '../sut/manifest.ts';
import { reportFault } from './fault.ts';

interface CleanFlags {
  readonly impl: string;
  readonly run?: string;
}

/** Adds `conform clean --impl FILE [--run ID]`. */
export function addCleanCommand(program: Command): void {
  program
    .command('clean')
    .description('remove what runs that were killed have left in the cluster of a manifest')
    .requiredOption('--impl <file>', 'implementation.yaml that names the cluster')
    .option('--run <id>', 'only this run, also where nothing tells whether it is over')
    .action(async (flags: CleanFlags) => {
      process.exitCode = await clean(flags);
    });
}

async function clean({ impl, run }: CleanFlags): Promise<number> {
  try {
    const runs = await cleanCluster(loadManifest(impl), run);
    for (const { run: id, state, namespaces, removed } of runs) {
      const what = `run ${id}: ${namespaces.length} namespaces, `;
      if (removed !== undefined) process.stdout.write(`${what}removed with everything in them (${removed} objects)\n`);
      else if (state === 'at work') process.stdout.write(`${what}it is at work\n`);
      else process.stdout.write(`${what}nothing tells whether it is over: conform clean --impl ${impl} --run ${id}\n`);
    }
    if (runs.length === 0) process.stdout.write('nothing of other runs is there\n');
    return 0;
  } catch (error) {
    return reportFault(error);
  }
}
