import { RED } from '../verdict/settle.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { CaseEntry, ReportFile } from './report-schema.ts';

/** What became of a case from one report to another. */
export interface Change {
  readonly id: string;
  readonly kind: ChangeKind;
  /** Absent where the case is not in that report. */
  readonly before?: Verdict | undefined;
  readonly after?: Verdict | undefined;
  readonly reason?: string | undefined;
}

/** The kinds of change in the order in which people want to hear of them. */
export const CHANGES = ['worse', 'better', 'other', 'new', 'gone'] as const;
export type ChangeKind = (typeof CHANGES)[number];

/** The cases whose verdicts differ, by kind and id. A case that ran several times counts as the worst that came of it. */
export function compareReports(before: ReportFile, after: ReportFile): readonly Change[] {
  const [old, now] = [worstById(before.cases), worstById(after.cases)];
  const ids = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  const changes = ids.flatMap((id): readonly Change[] => {
    const [one, other] = [old.get(id), now.get(id)];
    if (one?.verdict === other?.verdict) return [];
    const kind = kindOf(one?.verdict, other?.verdict);
    return [{ id, kind, before: one?.verdict, after: other?.verdict, reason: other?.reason }];
  });
  return changes.toSorted((one, other) => CHANGES.indexOf(one.kind) - CHANGES.indexOf(other.kind));
}

function kindOf(before: Verdict | undefined, after: Verdict | undefined): ChangeKind {
  if (before === undefined) return 'new';
  if (after === undefined) return 'gone';
  const rank = weight(after) - weight(before);
  if (rank === 0) return 'other';
  return rank > 0 ? 'worse' : 'better';
}

function worstById(cases: readonly CaseEntry[]): ReadonlyMap<string, CaseEntry> {
  const worst = new Map<string, CaseEntry>();
  for (const entry of cases) {
    const known = worst.get(entry.id);
    if (known === undefined || weight(entry.verdict) > weight(known.verdict)) worst.set(entry.id, entry);
  }
  return worst;
}

/** How much a verdict speaks against an implementation. */
function weight(verdict: Verdict): number {
  if (RED.has(verdict)) return 3;
  if (verdict === 'unstable' || verdict === 'blocked' || verdict === 'known') return 2;
  return verdict === 'pass' ? 0 : 1;
}
