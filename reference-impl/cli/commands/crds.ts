import type { Command } from 'commander';
import type { CrdsFlags } from '../crds/run-crds.ts';

/** Adds `crds`: the CustomResourceDefinitions of our kinds, and JSON Schemas for editors. */
export function addCrdsCommand(program: Command): void {
  program
    .command('crds')
    .description('print the CustomResourceDefinitions of the proxy, or write them to a folder')
    .option('-o, --output <dir>', 'folder for one YAML file per definition')
    .option('--schemas <dir>', 'folder for one JSON Schema per kind, for editors')
    .action(async (flags: CrdsFlags) => {
      const { runCrds } = await import('../crds/run-crds.ts');
      process.exitCode = runCrds(flags, process.stdout, process.stderr);
    });
}
