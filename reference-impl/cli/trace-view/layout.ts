import type { Pane } from './model.ts';

/** Of the terminal, in characters. */
export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Height of each pane with its title; 0 leaves it out. Together they fill the screen but for the status line. */
export interface Layout {
  readonly events: number;
  readonly raw: number;
  readonly help: number;
}

/** The selected pane is always visible; on a small screen the others make room for it. */
export function layoutOf({ rows }: Size, selected: Pane): Layout {
  const room = Math.max(0, rows - 1);
  const help = helpHeight(room, selected);
  const rest = room - help;
  if (rest >= SMALLEST_FOR_BOTH) {
    const events = Math.floor(rest * 0.45);
    return { events, raw: rest - events, help };
  }
  return selected === 'raw' ? { events: 0, raw: rest, help } : { events: rest, raw: 0, help };
}

function helpHeight(room: number, selected: Pane): number {
  if (selected === 'help') return room < SMALLEST_FOR_BOTH ? room : Math.min(10, Math.floor(room / 2));
  return room < SMALLEST_FOR_HELP ? 0 : 2;
}

const SMALLEST_FOR_BOTH = 8;
const SMALLEST_FOR_HELP = 10;
