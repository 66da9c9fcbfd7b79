import { Option, type Command } from 'commander';
import type { ValidateFlags } from '../validate/run-validate.ts';

/** Adds `validate`: what admission says about resources, without submitting them. */
export function addValidateCommand(program: Command): void {
  program
    .command('validate')
    .description('check resources as admission does; exit 0: all valid, 1: some invalid, 2: unreadable input')
    .requiredOption(
      '-f, --file <path>',
      'a file, a folder (*.yaml, *.yml, *.json at any depth), or - for the standard input',
    )
    .addOption(new Option('-o, --output <format>', 'how to report').choices(['text', 'json']).default('text'))
    .option('--defaults', 'with -o json: show each valid resource with the defaults the proxy assumes')
    .action(async (flags: ValidateFlags) => {
      const { runValidate } = await import('../validate/run-validate.ts');
      process.exitCode = await runValidate(flags, process.stdin, process.stdout, process.stderr);
    });
}
