import { fit, printable } from './cells.ts';
import { detailLines } from './detail.ts';
import { HELP_LINES } from './help.ts';
import { type Layout, layoutOf, type Size } from './layout.ts';
import type { Pane, TraceModel } from './model.ts';

/** One row of the screen, exactly as wide as the screen, in one style. */
export interface ScreenLine {
  readonly text: string;
  readonly style: Style;
}

export type Style = 'plain' | 'title' | 'focus' | 'selected' | 'serious' | 'added' | 'removed' | 'status';

/** The whole screen: exactly `size.rows` lines. Pure. */
export function render(model: TraceModel, size: Size): readonly ScreenLine[] {
  const layout = layoutOf(size, model.pane);
  return [
    ...eventsPane(model, layout),
    ...rawPane(model, layout),
    ...helpPane(model, layout),
    ...(size.rows > 0 ? [{ text: ` ${statusOf(model)}`, style: 'status' as const }] : []),
  ].map(({ text, style }) => ({ text: fit(printable(text), size.columns), style }));
}

/** CLI-021: number, type and summary of each event; the list follows the selection. */
function eventsPane(model: TraceModel, { events }: Layout): readonly ScreenLine[] {
  const room = Math.max(0, events - 1);
  const first = Math.max(0, Math.min(model.selected - Math.floor(room / 2), model.rows.length - room));
  const lines = model.rows.slice(first, first + room).map((row, offset) => {
    const index = first + offset;
    const text = ` ${String(index + 1).padStart(3)}  ${row.type.padEnd(TYPE_WIDTH)}  ${row.summary}`;
    return { text, style: styleOfRow(index === model.selected, row.serious) };
  });
  return pane(model, { name: 'events', title: 'Events', height: events }, lines);
}

/** CLI-022. */
function rawPane(model: TraceModel, { raw }: Layout): readonly ScreenLine[] {
  const lines = detailLines(model)
    .slice(model.scroll.raw, model.scroll.raw + raw)
    .map(({ text, change }) => ({
      text: ` ${model.mode === 'diff' ? (SIGNS[change ?? 'same'] ?? '') : ''}${text.slice(model.scroll.column, model.scroll.column + LONGEST_LINE)}`,
      style: change ?? ('plain' as const),
    }));
  const title = `Raw Event · ${model.mode} · ${model.format}`;
  return pane(model, { name: 'raw', title, height: raw }, lines);
}

function helpPane(model: TraceModel, { help }: Layout): readonly ScreenLine[] {
  const lines = HELP_LINES.slice(model.scroll.help).map((text) => ({ text: ` ${text}`, style: 'plain' as const }));
  return pane(model, { name: 'help', title: 'Help', height: help }, lines);
}

/** A title and as many lines as there is room for. */
function pane(
  model: TraceModel,
  { name, title, height }: { readonly name: Pane; readonly title: string; readonly height: number },
  lines: readonly ScreenLine[],
): readonly ScreenLine[] {
  const focused = model.pane === name;
  const heading: ScreenLine = { text: `${focused ? '▶' : ' '}${title}`, style: focused ? 'focus' : 'title' };
  return [heading, ...lines, ...Array.from({ length: height }, (): ScreenLine => ({ text: '', style: 'plain' }))].slice(
    0,
    height,
  );
}

/** CLI-005: says when the trace is complete, and how to leave. */
function statusOf({ progress, rows }: TraceModel): string {
  const count = `${rows.length} ${rows.length === 1 ? 'event' : 'events'}`;
  if (progress.kind === 'complete') return `${count} · trace complete, press q to quit`;
  if (progress.kind === 'cut') return `${count} · stream ended before the trace was complete, press q to quit`;
  if (progress.kind === 'failed') return `${count} · ${progress.reason}, press q to quit`;
  if (rows.length > 0) return count;
  return progress.kind === 'sent' ? 'request sent, waiting for trace data' : 'waiting for trace data';
}

function styleOfRow(selected: boolean, serious: boolean): Style {
  if (selected) return 'selected';
  return serious ? 'serious' : 'plain';
}

const SIGNS: Readonly<Record<string, string>> = { same: '  ', added: '+ ', removed: '- ' };

/** As long as the longest type of the document. */
const TYPE_WIDTH = 19;

/** Columns nobody's terminal has; spares the work of making a megabyte printable. */
const LONGEST_LINE = 4096;
