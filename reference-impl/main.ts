import { createProgram } from './cli/cli.ts';

// Who reads may stop reading, as `head` does: no command fails for that, and its exit code says the same without the rest.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
await createProgram().parseAsync();
