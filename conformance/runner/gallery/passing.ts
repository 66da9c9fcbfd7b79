import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { isolationOf } from '../case/isolation.ts';
import { needsLive } from '../schedule/prepare-case.ts';
import type { Manifest } from '../sut/manifest.ts';
import { ImplementationFault } from '../sut/session.ts';
import { makeTempFolder, placeOfDeliveries } from '../sut/temp-folder.ts';
import { asksOnly, neededOf } from './broken-reference.ts';
import type { Sources } from './declarations.ts';
import type { Defect } from './defects.ts';
import { readKeptPassed, type KeptPassed, type Part } from './kept-passed.ts';
import { locateEdits } from './locate-edits.ts';
import { passedByLoading, startTelling, type Passed, type TellingReference } from './telling-reference.ts';
import type { Span } from './text-pattern.ts';

/** Which cases execute the code that a defect changes. */
export interface Passing {
  /** Their ids; undefined where what is changed is executed before the first case, so that any may notice. */
  readonly casesOf: (defect: Defect) => ReadonlySet<string> | undefined;
}

/** What following cases needs. */
export interface Following {
  readonly manifest: Manifest;
  readonly root: string;
  readonly sources: Sources;
  /** Where what is found is kept. */
  readonly file: string;
  readonly stop: AbortSignal;
  /** Hears now and then how many cases are left. */
  readonly told: (left: number) => void;
}

/**
 * Runs each case that was not followed yet alone, and asks the reference what it has executed meanwhile. What is found is kept, so that the next
 * run follows only cases that came by a file which was changed since.
 */
export async function followCases(cases: readonly ConcreteCase[], following: Following): Promise<Passing> {
  const { root, sources, manifest } = following;
  const kept = readKeptPassed(following.file, sources);
  const folder = await makeTempFolder('passing', await placeOfDeliveries());
  let started = 0;
  const start = async (needed: Manifest): Promise<TellingReference> => {
    started += 1;
    return startTelling(needed, root, path.join(folder, String(started)));
  };
  try {
    const loading = await passedByLoading(sources, root, path.join(folder, 'loading'));
    const left = cases.filter((one) => kept.of(one) === undefined);
    // Beside a proxy that runs its canary is asked all the time: what only asks the adapter does not come by that.
    const [asking, live] = [left.filter(asksOnly), left.filter((one) => !asksOnly(one))];
    await followGroup(asking, async () => start(neededOf(manifest, asking)), kept, following);
    let begun =
      kept.of('start') === undefined ? await followStart(await start(manifest), kept, live.length > 0) : undefined;
    const next = async (): Promise<TellingReference> => {
      const ready = begun;
      begun = undefined;
      return ready ?? start(neededOf(manifest, live));
    };
    await followGroup(live, next, kept, following);
    return passingOf(cases, { kept, loading, sources });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is known of the reference and its cases. */
export interface Known {
  readonly kept: Pick<KeptPassed, 'of'>;
  readonly loading: Passed;
  readonly sources: Sources;
}

/** Tells of each defect who comes by it. A case that could not be followed comes by everything. */
export function passingOf(cases: readonly ConcreteCase[], { kept, loading, sources }: Known): Passing {
  const having = new Map<Part, ConcreteCase[]>();
  for (const one of cases)
    for (const part of kept.of(one) ?? [])
      having
        .set(part, having.get(part) ?? [])
        .get(part)
        ?.push(one);
  const partsOf = Map.groupBy(having.keys(), ({ file }) => file);
  const unknown = cases.filter((one) => kept.of(one) === undefined);
  const live = cases.filter((one) => needsLive(one) && isolationOf(one) !== 'instance');
  return {
    casesOf: (defect) => {
      const changed = changedPlaces(defect, sources);
      const isChanged = ({ file, places }: Part): boolean =>
        (changed.get(file) ?? []).some((at) => overlap(at, places));
      const files = [...changed.keys()];
      if (files.some((file) => isChanged({ file, places: loading.get(file) ?? [] }))) return undefined;
      const parts = files.flatMap((file) => partsOf.get(file) ?? []).filter(isChanged);
      const found = parts.flatMap((part) => having.get(part) ?? []);
      const coming = new Set([...found, ...unknown]);
      // The canary has every live case execute again what the start has, unless the start has left something behind.
      if ((kept.of('start') ?? []).some(isChanged) && live.some((one) => !coming.has(one))) return undefined;
      return new Set([...coming].map(({ id }) => id));
    },
  };
}

/** References that run beside each other, and what is worth the start of one: that takes as long as these. */
const LANES = 2;
const CASES_OF_LANE = 10;
const TOLD_MS = 30_000;

/** Returns the reference where it is wanted for cases, too, and stops it otherwise. */
async function followStart(
  reference: TellingReference,
  kept: KeptPassed,
  isWanted: boolean,
): Promise<TellingReference | undefined> {
  let goesOn = false;
  try {
    kept.keep('start', (await reference.passed()) ?? new Map());
    goesOn = isWanted;
  } finally {
    if (!goesOn) await reference.stop();
  }
  return goesOn ? reference : undefined;
}

async function followGroup(
  cases: readonly ConcreteCase[],
  start: () => Promise<TellingReference>,
  kept: KeptPassed,
  { stop, told }: Following,
): Promise<void> {
  const work = cases.values();
  let left = cases.length;
  const lane = async (): Promise<void> => {
    let reference = await start();
    try {
      await reference.passed();
      for (const one of work) {
        if (stop.aborted) return;
        if (!(await followOne(one, reference, kept, stop))) {
          await reference.stop();
          reference = await start();
          await reference.passed();
        }
        left -= 1;
      }
    } finally {
      await reference.stop();
    }
  };
  const timer = setInterval(() => told(left), TOLD_MS);
  try {
    const lanes = Math.min(LANES, Math.ceil(cases.length / CASES_OF_LANE));
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    clearInterval(timer);
  }
}

/** Keeps nothing of a case that is not green: it may have ended early. False when the reference is of no use any more. */
async function followOne(
  one: ConcreteCase,
  reference: TellingReference,
  kept: KeptPassed,
  stop: AbortSignal,
): Promise<boolean> {
  try {
    const result = await reference.run(one, stop);
    const passed = await reference.passed();
    if (result?.verdict === 'pass' && passed !== undefined) kept.keep(one, passed);
    return result?.verdict !== 'error';
  } catch (error) {
    if (error instanceof ImplementationFault) return false;
    throw error;
  }
}

/** What a file's edits change; an import that is only added changes nothing. */
function changedPlaces({ edits }: Defect, sources: Sources): ReadonlyMap<string, readonly Span[]> {
  const changes = locateEdits(edits, sources).replacements.filter(({ text }) => text !== '');
  const byFile = Map.groupBy(changes, ({ file }) => file);
  return new Map(
    [...byFile].map(([file, ofFile]) => [
      file,
      ofFile.map(({ at, text }) => withLabels({ start: at, end: at + text.length }, sources.texts.get(file) ?? '')),
    ]),
  );
}

/** V8 counts the label of a `case` with what stands behind it, but it is compared whenever the `switch` is come by. */
function withLabels(span: Span, text: string): Span {
  const until = text.slice(0, span.end);
  const isLabel = /\bcase\b[^:]*$/.test(text.slice(0, span.start)) || /\bcase\b/.test(until.slice(span.start));
  return isLabel ? { ...span, start: Math.max(until.lastIndexOf('switch ('), 0) } : span;
}

function overlap({ start, end }: Span, places: readonly number[]): boolean {
  return places.some((from, index) => index % 2 === 0 && from < end && (places[index + 1] ?? 0) > start);
}
