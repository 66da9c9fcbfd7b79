import type { TraceEnd, TraceProgress } from '../trace-client/follow-trace.ts';
import { TraceFailure } from '../trace-client/trace-failure.ts';
import { openTerminal } from './terminal.ts';
import { createView } from './view.ts';

/** Follows a trace, telling `progress` about it, until it ends or `signal` is aborted. */
export type Follow = (progress: TraceProgress, signal: AbortSignal) => Promise<TraceEnd>;

/**
 * CLI-013: shows a trace in the terminal until the user quits (CLI-005). `stdinIsData`: the standard input is the
 * trace, so keys come from the terminal itself. Throws a TraceFailure, with the terminal restored, when it failed.
 */
export async function viewTrace(follow: Follow, stdinIsData: boolean): Promise<void> {
  const terminal = openTerminal(stdinIsData);
  const view = createView(terminal);
  const stop = new AbortController();
  let failure: TraceFailure | undefined;

  const show = async (): Promise<void> => {
    try {
      const end = await follow(
        {
          armed: view.open,
          sent: () => {
            view.dispatch({ kind: 'progress', progress: { kind: 'sent' } });
          },
          payload: (text) => {
            view.dispatch({ kind: 'payload', text });
          },
        },
        stop.signal,
      );
      view.dispatch({ kind: 'progress', progress: { kind: end } });
    } catch (error) {
      // Before the first screen a failure is a plain message; afterwards the user still wants to read what came.
      if (!view.isOpen() || !(error instanceof TraceFailure)) throw error;
      failure = error;
      view.dispatch({ kind: 'progress', progress: { kind: 'failed', reason: error.message } });
    }
    await view.quit;
  };
  try {
    await Promise.race([view.quit, show()]);
  } finally {
    stop.abort();
    view.close();
    if (stdinIsData) process.stdin.destroy();
  }
  if (failure !== undefined) throw failure;
}
