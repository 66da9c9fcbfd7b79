import { createProgram } from './cli/cli.ts';

// Who reads may stop reading, as `head` does: no command fails for that, and its exit code says the same without the rest. Of other errors a
// command may say itself what they mean.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && process.stdout.listenerCount('error') === 1) throw error;
});
await createProgram().parseAsync();
