import type { EventRow } from '../../trace/event-row.ts';
import type { Key } from './keys.ts';

/** Everything the screen shows. Never changed in place. */
export interface TraceModel {
  readonly rows: readonly EventRow[];
  readonly selected: number;
  readonly pane: Pane;
  readonly mode: DetailMode;
  readonly format: 'YAML' | 'JSON';
  /** First visible line of the two panes that hold text, and first visible column of the raw event. */
  readonly scroll: { readonly raw: number; readonly help: number; readonly column: number };
  readonly progress: Progress;
  readonly quit: boolean;
}

export type Pane = 'events' | 'raw' | 'help';
export type DetailMode = 'event' | 'snapshot' | 'diff';
export type Progress =
  | { readonly kind: 'waiting' | 'sent' | 'complete' | 'cut' }
  | { readonly kind: 'failed'; readonly reason: string };

export type Action =
  | { readonly kind: 'payload'; readonly text: string }
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** `page` is the number of lines a page key moves. */
  | { readonly kind: 'key'; readonly key: Key; readonly page: number };

export const START: TraceModel = {
  rows: [],
  selected: 0,
  pane: 'events',
  mode: 'event',
  format: 'YAML',
  scroll: { raw: 0, help: 0, column: 0 },
  progress: { kind: 'waiting' },
  quit: false,
};
