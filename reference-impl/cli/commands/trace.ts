import type { Command } from 'commander';
import type { TraceFlags } from '../trace-client/trace-plan.ts';

/** Adds `proxy trace`, and `trace` for short. The client itself is loaded when the command runs. */
export function addTraceCommand(program: Command): void {
  // Otherwise commander would read `-X` after `--` as an option of ours.
  program.enablePositionalOptions();
  const existing = program.commands.find((command) => command.name() === 'proxy');
  const proxy = existing ?? program.command('proxy').description('look into a running proxy');
  proxy.enablePositionalOptions();
  describe(proxy.command('trace'), program);
  describe(program.command('trace', { hidden: true }), program);
}

function describe(command: Command, program: Command): void {
  command
    .description('show step by step how the proxy handles the next request, or one that is sent for it')
    .argument(
      '[resource...]',
      'gateway/NAME (default: the only gateway); then -- URL [-X METHOD] [-H HEADER] [-d BODY]',
    )
    .usage('[gateway/NAME] [options] [-- URL [curl arguments]]')
    .option('--local', 'trace the whole instance on this machine, whatever the gateway')
    .option('--raw', 'print one JSON event per line instead of the terminal UI')
    .option('--port <port>', 'data listener port the request after -- is sent to, on 127.0.0.1')
    .option('--proxy-admin-port <port>', 'port of the admin listener', '15000')
    .option('--expression <cel>', 'trace the next request for which this expression on `request` is true')
    .option('-n, --namespace <namespace>', 'namespace of the gateway')
    .option('-f, --file <file>', 'show a trace saved with --raw; - reads the standard input')
    .action(async (operands: string[], flags: TraceFlags) => {
      const { runTrace } = await import('../trace-client/run-trace.ts');
      const afterDashes = countAfterDashes(program);
      process.exitCode = await runTrace({
        resources: operands.slice(0, operands.length - afterDashes),
        flags,
        requestArguments: operands.slice(operands.length - afterDashes),
      });
    });
}

/** Commander drops the `--`, so that a URL after it looks like a resource before it. */
function countAfterDashes(program: Command): number {
  const typed: unknown = Reflect.get(program, 'rawArgs');
  const args = Array.isArray(typed) ? typed : [];
  const dashes = args.indexOf('--');
  return dashes < 0 ? 0 : args.length - dashes - 1;
}
