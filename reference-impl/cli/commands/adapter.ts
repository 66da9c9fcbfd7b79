import type { Command } from 'commander';

/** Adds `adapter`: the operations of the conformance suite, as JSON lines on the standard streams. */
export function addAdapterCommand(program: Command): void {
  program
    .command('adapter')
    .description('answer the operations of the conformance suite, one JSON object per line on stdin and stdout')
    .action(async () => {
      const { runAdapter } = await import('../adapter/run-adapter.ts');
      process.exitCode = await runAdapter(process.stdin, process.stdout, process.stderr);
      // After `stop` the harness may keep the pipe open.
      process.stdin.destroy();
    });
}
