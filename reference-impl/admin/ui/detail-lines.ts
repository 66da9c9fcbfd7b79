import { diffLines, type DiffLine } from '../../base/line-diff.ts';
import { objectMember, stringMember } from '../../base/members.ts';
import type { EventRow } from '../../trace/event-row.ts';

/** `event`: as it came. `snapshot`: the state up to here. `changes`: what differs from the snapshot before. */
export type Mode = 'event' | 'snapshot' | 'changes';

/** What is shown of the selected row. */
export function detailLines(rows: readonly EventRow[], selected: number, mode: Mode): readonly DiffLine[] {
  const row = rows[selected];
  if (row === undefined) return [];
  if (mode === 'event') return plain([...jsonLines(row.event), ...bodyLines(row)]);
  const snapshots = rows.slice(0, selected + 1).filter(({ state }) => state !== undefined);
  const current = snapshots.at(-1);
  if (current === undefined) return plain(['no snapshot up to here']);
  if (mode === 'snapshot') return plain(jsonLines(current.state));
  const previous = snapshots.at(-2);
  if (previous === undefined) return plain(['this is the first snapshot: there is nothing to compare it with']);
  const lines = diffLines(jsonLines(previous.state), jsonLines(current.state));
  return lines.some(({ change }) => change !== undefined) ? lines : plain(['no difference from the snapshot before']);
}

function plain(lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ text }));
}

function jsonLines(value: unknown): readonly string[] {
  return JSON.stringify(value, undefined, 2).split('\n');
}

/** Of a body snapshot also what its base64 says. */
function bodyLines({ type, event }: EventRow): readonly string[] {
  const body = type === 'bodySnapshot' ? stringMember(objectMember(event, 'message'), 'body') : undefined;
  return body === undefined ? [] : ['', ...bodyText(body).split('\n')];
}

/** The bytes as text, or how many there are when they are none. */
export function bodyText(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return `(${bytes.length} bytes that are no text)`;
  }
}
