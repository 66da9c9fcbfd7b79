import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { objectMember } from '../../base/members.ts';
import type { EventRow } from '../../trace/event-row.ts';

/** One line for each event: when, what, and in short what it says. */
export function EventList({
  rows,
  selected,
  select,
}: {
  readonly rows: readonly EventRow[];
  readonly selected: number;
  readonly select: (row: number) => void;
}): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <ol ref={list} class="events">
      {rows.map((row, index) => (
        <li key={index}>
          <button
            type="button"
            class={row.serious ? 'serious' : undefined}
            aria-current={index === selected ? 'true' : undefined}
            onClick={() => select(index)}
          >
            <span class="time">{milliseconds(row.event)}</span>
            <span class="type">{row.type}</span>
            <span class="summary">{row.summary}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function milliseconds(event: unknown): string {
  const end = objectMember(event, 'eventEnd');
  return typeof end === 'number' ? `${(end / 1000).toFixed(1)} ms` : '';
}
