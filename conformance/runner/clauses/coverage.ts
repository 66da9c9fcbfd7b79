import type { Level } from '../verdict/verdict.ts';
import { isGating } from './register.ts';
import type { Clause, Reason, Register } from './register.ts';

/** What coverage needs to know of a case; a concrete case is one. */
export interface CitingCase {
  readonly id: string;
  readonly baseId: string;
  readonly file: string;
  readonly level: Level;
  readonly clauses: readonly { readonly id: string; readonly as: 'positive' | 'negative' }[];
  readonly kills: readonly string[];
  readonly assumes: readonly string[];
}

/** Numbers over the MUST and DEFAULT clauses of one area. */
export interface AreaCoverage {
  readonly clauses: number;
  /** Clauses with a gating case of this polarity. */
  readonly positive: number;
  readonly negative: number;
  /** Clauses excused for at least one polarity. */
  readonly reasons: number;
  /** Clauses that lack a polarity and are not excused for it. */
  readonly missing: readonly string[];
}

export interface Coverage {
  readonly areas: Readonly<Record<string, AreaCoverage>>;
}

const POLARITIES = ['positive', 'negative'] as const;
type Polarity = (typeof POLARITIES)[number];

/** How far the cases cover the register. Only cases that gate count: an observation proves nothing. */
export function coverage(
  register: Pick<Register, 'areas' | 'clauses' | 'reasons'>,
  cases: readonly CitingCase[],
): Coverage {
  const covered = coveredPolarities(cases);
  const clauses = [...register.clauses.values()].filter(isGating);
  const areas = register.areas.map(({ area }) => {
    const own = clauses.filter((clause) => clause.area === area);
    return [area, areaCoverage(own, covered, register.reasons)] as const;
  });
  return { areas: Object.fromEntries(areas) };
}

/** The polarities a clause lacks: neither shown by a gating case nor excused. */
export function missingPolarities(
  clause: string,
  covered: ReadonlySet<string>,
  reasons: readonly Reason[],
): readonly Polarity[] {
  return POLARITIES.filter(
    (polarity) => !covered.has(`${clause} ${polarity}`) && !isExcused(clause, polarity, reasons),
  );
}

/** `MERGE-010 positive` for each clause and polarity that a gating case cites. */
export function coveredPolarities(cases: readonly CitingCase[]): ReadonlySet<string> {
  const gating = cases.filter(({ level }) => level === 'must');
  return new Set(gating.flatMap(({ clauses }) => clauses.map(({ id, as }) => `${id} ${as}`)));
}

/** The table for people, finished areas first. */
export function formatCoverage({ areas }: Coverage, register: Pick<Register, 'areas'>): string {
  const byStatus = register.areas.toSorted((left, right) => left.status.localeCompare(right.status));
  const rows = byStatus.map(({ area, status }) => {
    const { clauses, positive, negative, reasons, missing } = areas[area] ?? NOTHING;
    return [
      area,
      status,
      clauses,
      positive,
      negative,
      reasons,
      missing.length,
      shorten(status === 'done' ? missing : []),
    ].map(String);
  });
  return table([['area', 'status', 'clauses', 'positive', 'negative', 'reasons', 'missing', ''], ...rows]);
}

const NOTHING: AreaCoverage = { clauses: 0, positive: 0, negative: 0, reasons: 0, missing: [] };

function areaCoverage(
  clauses: readonly Clause[],
  covered: ReadonlySet<string>,
  reasons: readonly Reason[],
): AreaCoverage {
  const ids = clauses.map(({ id }) => id);
  return {
    clauses: ids.length,
    positive: ids.filter((id) => covered.has(`${id} positive`)).length,
    negative: ids.filter((id) => covered.has(`${id} negative`)).length,
    reasons: ids.filter((id) => reasons.some(({ clause }) => clause === id)).length,
    missing: ids.filter((id) => missingPolarities(id, covered, reasons).length > 0),
  };
}

function isExcused(clause: string, polarity: Polarity, reasons: readonly Reason[]): boolean {
  return reasons.some(
    (reason) => reason.clause === clause && (reason.polarity === polarity || reason.polarity === 'both'),
  );
}

function shorten(ids: readonly string[]): string {
  return ids.length <= 6 ? ids.join(' ') : `${ids.slice(0, 6).join(' ')} …`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}
