import { killAll } from '../sut/child.ts';

const FORCED = 130;

/**
 * A signal that Ctrl-C, a termination, or a fault nobody caught aborts; the reason is for people. A second Ctrl-C ends the
 * program at once. Whatever happens, no started program survives.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) {
        killAll();
        process.exit(FORCED);
      }
      controller.abort(`interrupted by ${name}`);
    });
  }
  // `| head` closes the pipe; complaining about that into the same pipe would never end.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      controller.abort('nobody reads the output any more');
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`a fault of the runner: ${text}\n`);
      controller.abort(`a fault of the runner: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  return controller.signal;
}
