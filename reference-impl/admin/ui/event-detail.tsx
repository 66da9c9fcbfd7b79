import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { EventRow } from '../../trace/event-row.ts';
import { detailLines, type Mode } from './detail-lines.ts';

const MARKS = { added: '+ ', removed: '- ' } as const;

/** The selected event as it came, the snapshot up to there, or what it changed. */
export function EventDetail({
  rows,
  selected,
  mode,
}: {
  readonly rows: readonly EventRow[];
  readonly selected: number;
  readonly mode: Mode;
}): JSX.Element {
  const row = rows[selected];
  // Rows are only added, so that what stands above the selected one stays as it is.
  const lines = useMemo(() => detailLines(rows, selected, mode), [row, selected, mode]);
  return (
    <pre tabIndex={0} aria-label={mode}>
      {lines.map(({ text, change }, index) => (
        <div key={index} class={change}>
          {mode === 'changes' && (change === undefined ? '  ' : MARKS[change])}
          {text}
        </div>
      ))}
    </pre>
  );
}
