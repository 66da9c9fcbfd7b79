import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findCitations, unknownCitations } from './citations.ts';
import type { CitationPlace } from './citations.ts';
import { brokenConstraints } from './constraints.ts';
import { coveredPolarities, missingPolarities } from './coverage.ts';
import type { CitingCase } from './coverage.ts';
import type { DefectEntry } from './defects.ts';
import { isGating } from './register.ts';
import type { Register } from './register.ts';

/** What the register is held against. */
export interface CheckContext {
  readonly register: Register;
  readonly cases: readonly CitingCase[];
  readonly defects: readonly DefectEntry[];
  /** Places outside the cases that name ids: decisions, sources of the reference. */
  readonly citations: readonly CitationPlace[];
}

/** Folders whose files cite the register, with the endings that are looked at. */
export const CITING_FOLDERS: readonly (readonly [string, readonly string[]])[] = [
  ['docs/decisions', ['.md']],
  ['docs/guide', ['.md']],
  ['reference-impl', ['.ts', '.md']],
  ['conformance/cases', ['.yaml']],
  ['conformance/gallery', ['.yaml', '.yml']],
];

/** Every place under the package that cites the register. */
export async function collectCitations(root: string): Promise<readonly CitationPlace[]> {
  const found = await Promise.all(CITING_FOLDERS.map(([folder, endings]) => findCitations(root, folder, endings)));
  return found.flat();
}

/** What is inconsistent between register, cases, gallery and citations; empty when nothing is. */
export function checkClauses(context: CheckContext): readonly string[] {
  return [
    ...unknownIds(context),
    ...gatedOpenQuestions(context),
    ...uncoveredClauses(context),
    ...uselessReasons(context),
    ...lostIds(context),
    ...brokenConstraints(context.register.constraints, context.cases),
  ];
}

/** Compares the source documents in a folder with the sums of `sources.yaml`. */
export async function checkSources({ sources }: Pick<Register, 'sources'>, folder: string): Promise<readonly string[]> {
  const found = await Promise.all(
    sources.map(async ({ id, file, sha256 }) => ({ id, file, sha256, actual: await sumOf(path.join(folder, file)) })),
  );
  return found.flatMap(({ id, file, sha256, actual }) => {
    if (actual === undefined) return [`${id}: ${file} is not in the folder of sources`];
    return actual === sha256
      ? []
      : [`${id}: ${file} has changed: sha256 ${actual}, the register was written for ${sha256}`];
  });
}

function unknownIds({ register, defects, citations }: CheckContext): readonly string[] {
  const inText = unknownCitations(citations, register).map(({ file, line, id }) => `${file}:${line} unknown id ${id}`);
  const inGallery = defects.flatMap(({ id, file, clauses }) =>
    clauses
      .filter((clause) => !register.clauses.has(clause))
      .map((clause) => `${file}: defect ${id} cites unknown clause ${clause}`),
  );
  const inRegister = [...register.openPoints, ...register.contradictions].flatMap((entry) =>
    (entry.clauses ?? [])
      .filter((clause) => !register.clauses.has(clause))
      .map((clause) => `docs/spec: ${entry.id} cites unknown clause ${clause}`),
  );
  const inAreas = [...new Set([...register.clauses.values()].map(({ area }) => area))]
    .filter((area) => !register.areas.some((entry) => entry.area === area))
    .map((area) => `docs/spec/areas.yaml: area ${area} is missing`);
  return [...inText, ...inGallery, ...inRegister, ...inAreas];
}

function gatedOpenQuestions({ register, cases }: CheckContext): readonly string[] {
  return cases
    .filter(({ level }) => level === 'must')
    .flatMap(({ id, file, clauses }) =>
      clauses
        .filter((clause) => register.clauses.get(clause.id)?.level === 'UNSPECIFIED')
        .map((clause) => `${file}: ${id} gates ${clause.id}, which is UNSPECIFIED`),
    );
}

function uncoveredClauses({ register, cases }: CheckContext): readonly string[] {
  const covered = coveredPolarities(cases);
  const done = new Set(register.areas.filter(({ status }) => status === 'done').map(({ area }) => area));
  return [...register.clauses.values()]
    .filter((clause) => done.has(clause.area) && isGating(clause))
    .flatMap(({ id, area }) =>
      missingPolarities(id, covered, register.reasons).map(
        (polarity) => `${id} has no ${polarity} case and no reason, and ${area} is done`,
      ),
    );
}

// An excuse for something that is covered hides the day the case disappears.
function uselessReasons({ register, cases }: CheckContext): readonly string[] {
  const covered = coveredPolarities(cases);
  return register.reasons.flatMap(({ clause, polarity }) => {
    if (!register.clauses.has(clause)) return [`docs/spec/reasons.yaml: unknown clause ${clause}`];
    const polarities = polarity === 'both' ? ['positive', 'negative'] : [polarity];
    return polarities
      .filter((one) => covered.has(`${clause} ${one}`))
      .map((one) => `docs/spec/reasons.yaml: ${clause} has a ${one} case, so it needs no reason`);
  });
}

function lostIds({ register }: CheckContext): readonly string[] {
  const locked = new Set(register.locked);
  return [
    ...register.locked
      .filter((id) => !register.clauses.has(id))
      .map((id) => `${id} was given once and is gone; ids are for ever`),
    ...[...register.clauses.keys()]
      .filter((id) => !locked.has(id))
      .map((id) => `${id} is not in docs/spec/ids.lock; add it`),
  ];
}

async function sumOf(file: string): Promise<string | undefined> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  } catch {
    return undefined; // reported as a missing file by the caller
  }
}
