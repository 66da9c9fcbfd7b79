import { GENERATED_IDS } from './generate/boundary-rows.ts';
import { fieldsText } from './generate/field-table.ts';
import { suitesNamed } from './groups.ts';
import type { CaseText } from './load.ts';
import { placesOf, type Selection } from './select.ts';

/**
 * Whether a file may hold a case that is chosen, seen from its name and its text: parsing every file costs seconds, which a run
 * of one case shall not pay. False only when no case of the file can be chosen. `folder` is where the case files lie.
 */
export function mayHoldChosen(
  { patterns, clauses, areas }: Pick<Selection, 'patterns' | 'clauses' | 'areas'>,
  folder: string,
): (file: CaseText) => boolean {
  return (file) =>
    (patterns.length === 0 || patterns.some((pattern) => fits(file, pattern, folder))) &&
    cites(file, clauses) &&
    cites(
      file,
      areas.map((area) => `${area}-`),
    );
}

function fits(file: CaseText, pattern: string, folder: string): boolean {
  return (
    placesOf(pattern, folder).some((isInside) => isInside(file.name)) ||
    suitesNamed(pattern).some((name) => file.text.includes(`suite: ${name}`)) ||
    mayHoldId(file, pattern)
  );
}

// The schema sees to it that an id stands in its file as it is; only generated cases have ids that nobody wrote.
function mayHoldId({ text }: CaseText, pattern: string): boolean {
  if (pattern.includes('/')) return false;
  // Ids and names of suites are written in lower case.
  const [literal = ''] = pattern.toLowerCase().split(/[*?[@]/);
  if (!/[.*?]/.test(pattern)) return text.includes(`suite: ${literal}`);
  if (text.includes(literal)) return true;
  return generates(text) && (literal.startsWith(GENERATED_IDS) || GENERATED_IDS.startsWith(literal));
}

function cites({ text }: CaseText, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const places = generates(text) ? [text, fieldsText()] : [text];
  return words.some((word) => places.some((place) => place.includes(word)));
}

function generates(text: string): boolean {
  return text.includes('generate:');
}
