import type { CaseEntry } from '../runner/report/report-schema.ts';
import type { Place } from './place.ts';

/** Verdicts in the order of how much they ask for a look; the others come after them. */
const FIRST: readonly string[] = ['error', 'fail', 'stale', 'inconclusive', 'unstable', 'blocked', 'known'];

/** The cases that the filters of the page leave, those that did not go well first. */
export function chooseCases(cases: readonly CaseEntry[], place: Place): readonly CaseEntry[] {
  const words = place.words.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = cases.filter(
    (entry) =>
      (place.verdicts.length === 0 || place.verdicts.includes(entry.verdict)) &&
      (place.level === '' || entry.level === place.level) &&
      (place.layer === '' || entry.layer === place.layer) &&
      (place.area === '' || entry.clauses.some(({ id }) => areaOf(id) === place.area)) &&
      (place.clause === '' || entry.clauses.some(({ id }) => id === place.clause)) &&
      (place.feature === '' || entry.needs.includes(place.feature)) &&
      (place.defect === '' || entry.kills.includes(place.defect)) &&
      words.every((word) => textOf(entry).includes(word)),
  );
  return chosen.toSorted((one, other) => rank(one) - rank(other));
}

function rank({ verdict }: CaseEntry): number {
  const at = FIRST.indexOf(verdict);
  return at === -1 ? FIRST.length : at;
}

/** The area of a clause id: `MERGE` of `MERGE-010`. */
export function areaOf(clause: string): string {
  return clause.replace(/-\d+$/, '');
}

const texts = new WeakMap<CaseEntry, string>();

/** Everything that a word is looked for in. */
function textOf(entry: CaseEntry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const clauses = entry.clauses.map(({ id }) => id).join(' ');
  const said = [...(entry.failures ?? []), ...(entry.observed ?? [])]
    .map(({ what, expected, actual }) => `${what} ${expected} ${actual}`)
    .join(' ');
  const text = `${entry.id} ${entry.title} ${entry.reason ?? ''} ${clauses} ${said} ${entry.file}`.toLowerCase();
  texts.set(entry, text);
  return text;
}
