import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Go, Place } from './place.ts';
import { useKeys } from './use-keys.ts';

/** One thing of the configuration, as a list shows it. */
export interface Item {
  /** Unique in the list; stands in the address when it is open. */
  readonly id: string;
  readonly title: string;
  readonly note: string;
  /** Something is wrong with it. */
  readonly problem: string;
  readonly detail: () => ComponentChildren;
}

/** More rows than that are made when they are asked for. */
const ROWS = 300;

/** A list that words narrow, and beside it what is open. `/` searches, j and k or arrows move, Escape closes. */
export function Browse({
  items,
  label,
  empty,
  place,
  go,
}: {
  readonly items: readonly Item[];
  readonly label: string;
  /** What to do when there is none. */
  readonly empty: ComponentChildren;
  readonly place: Place;
  readonly go: Go;
}): JSX.Element {
  const [rows, setRows] = useState(ROWS);
  const search = useRef<HTMLInputElement>(null);
  const detail = useRef<HTMLElement>(null);
  const chosen = useMemo(() => items.filter((item) => hasWords(item, place.words)), [items, place.words]);
  const open = items.find(({ id }) => id === place.open);
  const move = (step: number): void => {
    const at = chosen.findIndex(({ id }) => id === place.open);
    const next = chosen[Math.min(chosen.length - 1, Math.max(0, at + step))];
    if (next !== undefined) go({ open: next.id });
  };
  useKeys(true, {
    '/': () => search.current?.focus(),
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Escape: () => go({ open: '' }),
  });
  // Where what is open stands above the list, it is what one wants to see.
  useEffect(() => {
    if (matchMedia('(width < 60rem)').matches) detail.current?.scrollIntoView({ block: 'start' });
  }, [place.open]);
  if (items.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class={open === undefined ? 'browse' : 'browse with-detail'}>
      <section class="list" aria-label={label}>
        <input
          ref={search}
          type="search"
          aria-label={`Search ${label}`}
          placeholder={`Search ${label} ( / )`}
          value={place.words}
          onInput={(event) => go({ words: event.currentTarget.value })}
        />
        <p class="faint" role="status">
          {chosen.length} of {items.length}
        </p>
        <ol class="items">
          {chosen.slice(0, rows).map(({ id, title, note, problem }) => (
            <li key={id}>
              <button
                type="button"
                aria-expanded={id === place.open}
                onClick={() => go({ open: id === place.open ? '' : id })}
              >
                <span class="title">{title}</span>
                <span class="faint">{note}</span>
                {problem !== '' && <span class="bad">{problem}</span>}
              </button>
            </li>
          ))}
        </ol>
        {chosen.length > rows && (
          <button type="button" onClick={() => setRows(rows + ROWS)}>
            {chosen.length - rows} more
          </button>
        )}
      </section>
      {open !== undefined && (
        <section ref={detail} class="detail" aria-label={open.title}>
          <button type="button" class="close" onClick={() => go({ open: '' })}>
            Close
          </button>
          <h2>{open.title}</h2>
          {open.detail()}
        </section>
      )}
    </div>
  );
}

function hasWords({ title, note, problem }: Item, words: string): boolean {
  const text = `${title} ${note} ${problem}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
