import { Option, type Command } from 'commander';
import type { RenderFlags } from '../render/run-render.ts';

/** Adds `render`: the manifests of the workload of a Gateway. */
export function addRenderCommand(program: Command): void {
  program
    .command('render')
    .description('print the manifests that a Gateway and its ProxyParameters come to')
    .requiredOption('-f, --file <path>', 'file or folder with the resources; - reads the standard input')
    .option('--gateway <name>', 'namespace/name or name; found when there is one')
    .addOption(new Option('-o, --output <format>', 'how to print them').choices(['yaml', 'json']).default('yaml'))
    .option('--server-side', 'the parameters were submitted by server-side apply: null in an overlay removes a field')
    .option('--show-secrets', 'print Secrets too, with their values')
    .action(async (flags: RenderFlags) => {
      const { runRender } = await import('../render/run-render.ts');
      process.exitCode = await runRender(flags, process);
    });
}
