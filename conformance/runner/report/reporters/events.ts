import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { caseEntry } from '../case-entry.ts';
import type { RunEvent } from '../event-schema.ts';
import type { ReporterKind, ReporterOptions } from '../events.ts';
import { endEntry, startEntry } from '../report-file.ts';
import { withoutCredentials } from '../without-credentials.ts';

/** The file of events below the folder of reports. */
export const EVENTS_FILE = 'events.ndjson';

/** `events.ndjson`: a line as it happens, so that what was judged is kept whatever becomes of the run. */
export const eventsReporter: ReporterKind = {
  name: 'events',
  text: 'events.ndjson, a line for each verdict as it comes',
  create: (options) => {
    const file = openLines(path.join(options.out, EVENTS_FILE), options);
    return {
      started: (run) => {
        file.open();
        file.write({ event: 'started', schema: 1, ...startEntry(run), total: run.total, workers: run.workers });
      },
      finished: (result) =>
        file.write({
          event: 'finished',
          sinceStartMs: Math.round(performance.now()),
          case: caseEntry(result),
        }),
      repeating: (count) => file.write({ event: 'repeating', count }),
      ended: (end) => {
        file.write({ event: 'ended', ...endEntry(end, options.clause) });
        file.close();
      },
    };
  },
};

interface Lines {
  readonly open: () => void;
  readonly write: (event: RunEvent) => void;
  readonly close: () => void;
}

// Written at once, not kept: a process that is killed has said everything it knew. A disk that is full ends the file, not the run.
function openLines(file: string, { write }: ReporterOptions): Lines {
  let handle: number | undefined;
  const trying = (act: (open: number) => void): void => {
    if (handle === undefined) return;
    try {
      act(handle);
    } catch (error) {
      handle = undefined;
      write(`${file}: no more events can be written: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  };
  return {
    open: () => {
      handle = openSync(file, 'w');
    },
    write: (event) =>
      trying((open) => {
        const line = Buffer.from(`${withoutCredentials(JSON.stringify(event))}\n`);
        if (writeSync(open, line) < line.length) throw new Error('the disk is full');
      }),
    close: () => trying(closeSync),
  };
}
