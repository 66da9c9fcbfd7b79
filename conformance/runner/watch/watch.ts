import path from 'node:path';
import { summarize, summaryLine, ALARMING } from '../report/summary.ts';
import { UsageFault } from '../sut/session.ts';
import { chooseParts, type Chosen, type Part } from './choose.ts';
import { watchFolder, type FolderWatch } from './folder-watch.ts';
import { openInbox } from './inbox.ts';
import { placesOf, touchedBy, type Named, type Place } from './places.ts';
import { runPart, type PartEnd, type RunCall } from './run-part.ts';
import { both, EVERYTHING_CHOSEN, isNothing, NOTHING, type Touched } from './touched.ts';

/** What is watched, and how its cases are run. */
export interface WatchRequest extends Named, Chosen {
  readonly call: RunCall;
  /** Says a line to people. */
  readonly say: (line: string) => void;
  /** Hands over what runs everything that was chosen, whatever has changed. */
  readonly onReady?: (again: () => void) => void;
  /** Aborted when the user has seen enough. */
  readonly stop: AbortSignal;
}

/**
 * THE SPINE: runs what was chosen, then again and again what changed files touch, one run at a time; a change in the middle of a run ends
 * it, and what it had to do is part of the next. Returns when it is stopped. Throws UsageFault for a folder that cannot be watched.
 */
export async function watchSuite(request: WatchRequest): Promise<void> {
  const { say, stop } = request;
  const inbox = openInbox();
  const follow = openFollower(request, (touched) => inbox.put(touched));
  const red = new Set<string>();
  let owed = NOTHING;
  try {
    say(`${follow.renew()} folders are watched`);
    inbox.put(EVERYTHING_CHOSEN);
    request.onReady?.(() => inbox.put(EVERYTHING_CHOSEN));
    for (;;) {
      const come = await inbox.take(stop);
      if (come === undefined) return;
      owed = both(owed, come);
      // Another manifest names other files.
      if (come.everything) follow.renew();
      const cut = AbortSignal.any([stop, inbox.next()]);
      const round = await runRound(owed, red, request, cut);
      for (const { id, verdict } of round.verdicts) {
        if (ALARMING.has(verdict)) red.add(id);
        else red.delete(id);
      }
      if (stop.aborted) return;
      if (round.whole) owed = NOTHING;
      say(roundLine(round, red));
    }
  } finally {
    follow.close();
  }
}

interface Follower {
  /** Watches what is named now, too; the number of folders. */
  readonly renew: () => number;
  readonly close: () => void;
}

function openFollower(named: Named, put: (touched: Touched) => void): Follower {
  const watches = new Map<string, FolderWatch>();
  let places: readonly Place[] = [];
  const changed = (file: string): void => {
    const touched = touchedBy(file, places);
    if (touched !== undefined && !isNothing(touched)) put(touched);
  };
  return {
    renew: () => {
      places = placesOf(named);
      for (const place of places) {
        const key = `${place.deep ? 'below' : 'in'} ${place.folder}`;
        if (!watches.has(key)) watches.set(key, watchFolder(place, changed));
      }
      return [...watches.values()].reduce((sum, { folders }) => sum + folders(), 0);
    },
    close: () => {
      for (const { close } of watches.values()) close();
    },
  };
}

interface Round {
  readonly verdicts: PartEnd['verdicts'];
  /** Nothing of what was owed is left. */
  readonly whole: boolean;
  /** Why nothing could be run. */
  readonly mistake?: string;
  readonly seconds: number;
  readonly files: Touched['files'];
}

async function runRound(
  owed: Touched,
  red: ReadonlySet<string>,
  request: WatchRequest,
  cut: AbortSignal,
): Promise<Round> {
  const began = performance.now();
  const verdicts: PartEnd['verdicts'][number][] = [];
  const ended = (whole: boolean, mistake?: string): Round => ({
    verdicts,
    whole,
    ...(mistake === undefined ? {} : { mistake }),
    seconds: (performance.now() - began) / 1000,
    files: owed.files,
  });
  if (owed.files.size > 0) request.say(`changed: ${few([...owed.files].map((file) => path.relative('.', file)))}`);
  let parts: readonly Part[];
  try {
    parts = await chooseParts(owed, request, [...red]);
  } catch (error) {
    if (!(error instanceof UsageFault)) throw error;
    request.say(error.message);
    return ended(true, 'the mistake above');
  }
  for (const [index, part] of parts.entries()) {
    if (cut.aborted) return ended(false);
    const out = index < parts.length - 1 ? path.join(request.out, 'red-first') : request.out;
    const end = await runPart(part, { ...request.call, out }, cut);
    verdicts.push(...end.verdicts);
    if (cut.aborted) return ended(false);
    if (end.verdicts.length === 0) return ended(true, end.mistaken ? 'the mistake above' : `the run ${end.end}`);
  }
  return ended(true);
}

/** `14:02:11  41 pass, 1 fail in 2.3 s; red: traffic.delay.fixed`. */
function roundLine({ verdicts, whole, mistake, seconds }: Round, red: ReadonlySet<string>): string {
  const took = `in ${seconds.toFixed(1)} s`;
  const left = red.size === 0 ? '' : `; red: ${few([...red])}`;
  return `${clock()}  ${outcome()}${left}`;

  function outcome(): string {
    if (!whole) return `ended after ${verdicts.length} verdicts, something has changed`;
    if (mistake !== undefined) return `nothing was judged: ${mistake}`;
    return verdicts.length === 0 ? 'no chosen case is touched' : `${summaryLine(summarize(verdicts))} ${took}`;
  }
}

const FEW = 3;

function few(names: readonly string[]): string {
  const more = names.length - FEW;
  return `${names.slice(0, FEW).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function clock(): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format();
}
