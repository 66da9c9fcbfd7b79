import { createProgram } from './cli/cli.ts';

await createProgram().parseAsync();
