import { Command } from 'commander';
import { addAdapterCommand } from './commands/adapter.ts';
import { addCrdsCommand } from './commands/crds.ts';
import { addEffectivePolicyCommand } from './commands/effective-policy.ts';
import { addRenderCommand } from './commands/render.ts';
import { addServeCommand } from './commands/serve.ts';
import { addTraceCommand } from './commands/trace.ts';
import { addValidateCommand } from './commands/validate.ts';
import { version } from './version.ts';

/** The command `refproxy`. Each subcommand loads its chapter when it runs, so that help costs nothing. */
export function createProgram(): Command {
  const program = new Command('refproxy')
    .description('a readable reference implementation of the proxy that the conformance suite describes')
    .version(version(), '-V, --version', 'print the version')
    .showHelpAfterError();
  addServeCommand(program);
  addValidateCommand(program);
  addEffectivePolicyCommand(program);
  addCrdsCommand(program);
  addRenderCommand(program);
  addAdapterCommand(program);
  addTraceCommand(program);
  return program;
}
