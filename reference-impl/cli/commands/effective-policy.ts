import { Option, type Command } from 'commander';
import type { EffectivePolicyFlags } from '../effective-policy/run-effective-policy.ts';

/** Adds `effective-policy`: what the policies of a folder come to for one way a request takes. */
export function addEffectivePolicyCommand(program: Command): void {
  program
    .command('effective-policy')
    .description('print the merged policy for the way a request takes; what is left out is found when there is one way')
    .requiredOption('--config <path>', 'folder with the resources (*.yaml, *.yml, *.json), or one file')
    .addOption(
      new Option('--phase <phase>', 'which merge')
        .choices(['gateway', 'route', 'backend', 'frontend'])
        .makeOptionMandatory(),
    )
    .option('-n, --namespace <namespace>', 'namespace of names that bring none')
    .option('--gateway <name>', 'namespace/name or name')
    .option('--listener <name>', 'a listener of the gateway')
    .option('--route <name>', 'namespace/name or name of an HTTPRoute')
    .option('--rule <name>', 'a rule of the route, by name or index')
    .option('--backend <name>', 'namespace/name or name of a backend of the rule; :port tells ports of a Service apart')
    .option('--sources', 'also tell which resource each field comes from')
    .action(async (flags: EffectivePolicyFlags) => {
      const { runEffectivePolicy } = await import('../effective-policy/run-effective-policy.ts');
      process.exitCode = runEffectivePolicy(flags, process.stdout, process.stderr);
    });
}
