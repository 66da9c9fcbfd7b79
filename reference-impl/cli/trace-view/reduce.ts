import { eventRow } from '../../trace/event-row.ts';
import { detailLines } from './detail.ts';
import { HELP_LINES } from './help.ts';
import type { Key } from './keys.ts';
import type { Action, Pane, TraceModel } from './model.ts';

/** The next state. Pure: the same model and action give the same result. */
export function reduce(model: TraceModel, action: Action): TraceModel {
  if (action.kind === 'key') return onKey(model, action.key, action.page);
  if (action.kind === 'progress') return { ...model, progress: action.progress };
  return model.rows.length >= MOST_ROWS ? model : { ...model, rows: [...model.rows, eventRow(action.text)] };
}

/** CLI-023..026. */
function onKey(model: TraceModel, key: Key, page: number): TraceModel {
  const move = MOVES[key];
  return move === undefined ? (COMMANDS[key]?.(model) ?? model) : moveSelection(model, move(page));
}

/** How many lines a key moves; `page` is the height of a page. */
const MOVES: Partial<Record<Key, (page: number) => number>> = {
  up: () => -1,
  down: () => 1,
  pageup: (page) => -page,
  pagedown: (page) => page,
  home: () => -Infinity,
  end: () => Infinity,
};

const COMMANDS: Partial<Record<Key, (model: TraceModel) => TraceModel>> = {
  tab: (model) => ({ ...model, pane: neighbour(model.pane, 1) }),
  backtab: (model) => ({ ...model, pane: neighbour(model.pane, -1) }),
  left: (model) => shiftSideways(model, -COLUMN_STEP),
  right: (model) => shiftSideways(model, COLUMN_STEP),
  e: (model) => withDetail(model, { mode: 'event' }),
  s: (model) => withDetail(model, { mode: 'snapshot' }),
  d: (model) => withDetail(model, { mode: 'diff' }),
  f: (model) => withDetail(model, { format: model.format === 'YAML' ? 'JSON' : 'YAML' }),
  quit: (model) => ({ ...model, quit: true }),
};

/** CLI-024: moves the selection of the list, or scrolls the text of the pane. */
function moveSelection(model: TraceModel, lines: number): TraceModel {
  const { pane, scroll } = model;
  if (pane === 'events') {
    const selected = clamp(model.selected + lines, model.rows.length - 1);
    return selected === model.selected ? model : { ...model, selected, scroll: { ...scroll, raw: 0, column: 0 } };
  }
  const last = (pane === 'raw' ? detailLines(model).length : HELP_LINES.length) - 1;
  return { ...model, scroll: { ...scroll, [pane]: clamp(scroll[pane] + lines, last) } };
}

/** Moves the raw event sideways, however long its lines are. */
function shiftSideways(model: TraceModel, columns: number): TraceModel {
  if (model.pane !== 'raw') return model;
  return { ...model, scroll: { ...model.scroll, column: Math.max(0, model.scroll.column + columns) } };
}

/** Another detail begins at its first line. */
function withDetail(model: TraceModel, change: Partial<Pick<TraceModel, 'mode' | 'format'>>): TraceModel {
  return { ...model, ...change, scroll: { ...model.scroll, raw: 0, column: 0 } };
}

function neighbour(pane: Pane, step: number): Pane {
  return PANES[(PANES.indexOf(pane) + step + PANES.length) % PANES.length] ?? 'events';
}

function clamp(value: number, last: number): number {
  return Math.max(0, Math.min(value, last));
}

const COLUMN_STEP = 8;

const PANES: readonly Pane[] = ['events', 'raw', 'help'];

/** One request makes a few dozen; a server that sends more is not worth more memory. */
const MOST_ROWS = 10_000;
