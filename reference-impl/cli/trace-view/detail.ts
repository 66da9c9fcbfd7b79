import { diffLines } from '../../base/line-diff.ts';
import { perObject } from '../../base/per-object.ts';
import { yamlText } from '../../base/yaml-text.ts';
import type { EventRow } from '../../trace/event-row.ts';
import type { TraceModel } from './model.ts';

/** One line of the detail pane; the change is set in diff mode. */
export interface DetailLine {
  readonly text: string;
  readonly change?: 'added' | 'removed';
}

/** CLI-025: the selected event in the selected detail mode, not yet cut to any width. */
export function detailLines(model: TraceModel): readonly DetailLine[] {
  const row = model.rows[model.selected];
  if (row === undefined) return compute(model);
  const slot = latestOf(row);
  const key = keyOf(model);
  if (slot.latest?.key !== key) slot.latest = { key, lines: compute(model) };
  return slot.latest.lines;
}

/** The last answer per row: a key press must not format a megabyte of body twice. */
const latestOf = perObject<EventRow, { latest?: { readonly key: string; readonly lines: readonly DetailLine[] } }>(
  () => ({}),
);

function keyOf({ mode, format, selected }: TraceModel): string {
  return `${mode} ${format} ${selected}`;
}

function compute(model: TraceModel): readonly DetailLine[] {
  const { rows, selected, mode, format } = model;
  const row = rows[selected];
  if (row === undefined) return [];
  if (mode === 'event') return plain(formatLines(row.event, format));

  const snapshots = rows.slice(0, selected + 1).filter(({ state }) => state !== undefined);
  const current = snapshots.at(-1);
  if (current === undefined) return plain(['no snapshot up to here']);
  if (mode === 'snapshot') return plain(formatLines(current.state, format));

  const previous = snapshots.at(-2);
  if (previous === undefined) return plain(['this is the first snapshot: there is nothing to compare it with']);
  const lines = diffLines(formatLines(previous.state, format), formatLines(current.state, format));
  return lines.some(({ change }) => change !== undefined) ? lines : plain(['no difference from the snapshot before']);
}

function plain(lines: readonly string[]): readonly DetailLine[] {
  return lines.map((text) => ({ text }));
}

function formatLines(value: unknown, format: 'YAML' | 'JSON'): readonly string[] {
  const text = format === 'JSON' ? JSON.stringify(value, undefined, 2) : yamlText(value, { lineWidth: 0 });
  return text.trimEnd().split('\n');
}
