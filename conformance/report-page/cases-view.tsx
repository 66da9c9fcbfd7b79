import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CaseEntry } from '../runner/report/report-schema.ts';
import { CaseDetail } from './case-detail.tsx';
import { chooseCases } from './choose-cases.ts';
import { Filters } from './filters.tsx';
import type { ViewProps } from './place.ts';

/** More rows than that are made when they are asked for. */
const ROWS = 300;

/** Filters, the list, and beside it the case that is open. `/` searches, arrows or j and k move, Escape closes. */
export function CasesView(props: ViewProps): JSX.Element {
  const { report, place, go } = props;
  const chosen = useMemo(() => chooseCases(report.cases, place), [report, place]);
  const [rows, setRows] = useState(ROWS);
  const search = useRef<HTMLInputElement>(null);
  const open = report.cases.find(({ id }) => id === place.open);
  useKeys({ chosen, open: place.open, go, search });
  return (
    <div class={open === undefined ? 'cases' : 'cases with-detail'}>
      <section class="list" aria-label="Cases">
        <Filters {...props} search={search} />
        <p class="faint" role="status">
          {chosen.length} of {report.cases.length} cases
        </p>
        {chosen.length === 0 && <p class="nothing">{NOTHING[report.cases.length === 0 ? 'judged' : 'chosen']}</p>}
        <ol>
          {chosen.slice(0, rows).map((entry) => (
            <Row key={`${entry.id} ${entry.round ?? ''}`} entry={entry} isOpen={entry.id === place.open} go={go} />
          ))}
        </ol>
        {chosen.length > rows && (
          <button type="button" onClick={() => setRows(rows + ROWS)}>
            {chosen.length - rows} more
          </button>
        )}
      </section>
      {open !== undefined && <CaseDetail entry={open} {...props} />}
    </div>
  );
}

/** What to do where there is nothing to see. */
const NOTHING = {
  judged: 'This run judged no case. What it printed says why; conform list shows which cases there are.',
  chosen: 'No case has all of that. Clear shows every case again.',
} as const;

function Row({
  entry,
  isOpen,
  go,
}: {
  readonly entry: CaseEntry;
  readonly isOpen: boolean;
  readonly go: ViewProps['go'];
}): JSX.Element {
  return (
    <li class={isOpen ? 'row open' : 'row'}>
      <button type="button" aria-expanded={isOpen} onClick={() => go({ open: isOpen ? '' : entry.id })}>
        <span class={`verdict ${entry.verdict}`}>{entry.verdict}</span>
        <span class="id">{entry.id}</span>
        <span class="title">{entry.title}</span>
        {entry.reason !== undefined && entry.verdict !== 'observe' && (
          <span class={`reason ${entry.verdict}`}>{entry.reason}</span>
        )}
      </button>
    </li>
  );
}

function useKeys({
  chosen,
  open,
  go,
  search,
}: {
  readonly chosen: readonly CaseEntry[];
  readonly open: string;
  readonly go: ViewProps['go'];
  readonly search: { readonly current: HTMLInputElement | null };
}): void {
  useEffect(() => {
    const act = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') go({ open: '' });
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      if (event.key === '/') {
        event.preventDefault();
        search.current?.focus();
      }
      const step = STEPS[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const at = chosen.findIndex(({ id }) => id === open);
      const next = chosen[Math.min(chosen.length - 1, Math.max(0, at + step))];
      if (next !== undefined) go({ open: next.id });
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  }, [chosen, open, go, search]);
  // Where the case stands above the list, it is what one wants to see.
  useEffect(() => {
    const isNarrow = matchMedia('(width < 60rem)').matches;
    document
      .querySelector(isNarrow ? '.detail' : '.row.open')
      ?.scrollIntoView({ block: isNarrow ? 'start' : 'nearest' });
  }, [open]);
}

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName);
}
