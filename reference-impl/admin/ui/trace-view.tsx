import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AnswerView } from './answer-view.tsx';
import type { Mode } from './detail-lines.ts';
import type { Dump } from './dump.ts';
import { EventDetail } from './event-detail.tsx';
import { EventList } from './event-list.tsx';
import { OutcomeLine } from './outcome-line.tsx';
import type { Go } from './place.ts';
import { RequestForm } from './request-form.tsx';
import { SelectionsView } from './selections-view.tsx';
import { useKeys } from './use-keys.ts';
import type { Tracing } from './use-trace.ts';
import { WatchForm } from './watch-form.tsx';

type Pane = Mode | 'policy' | 'answer';

const PANES: readonly { readonly pane: Pane; readonly label: string; readonly key: string }[] = [
  { pane: 'event', label: 'Event', key: 'e' },
  { pane: 'snapshot', label: 'Snapshot', key: 's' },
  { pane: 'changes', label: 'Changes', key: 'c' },
  { pane: 'policy', label: 'Effective policy', key: 'p' },
  { pane: 'answer', label: 'Answer', key: 'a' },
];

/** A request is sent or waited for; below it what became of it, its events, and what is to be said of the selected one. */
export function TraceView({
  dump,
  tracing,
  go,
  isShown,
}: {
  readonly dump: Dump | undefined;
  readonly tracing: Tracing;
  readonly go: Go;
  readonly isShown: boolean;
}): JSX.Element {
  const [selected, setSelected] = useState(0);
  const [pane, setPane] = useState<Pane>('event');
  const outcome = useRef<HTMLDivElement>(null);
  const { rows, progress } = tracing;
  const move = (step: number): void => setSelected((before) => Math.min(rows.length - 1, Math.max(0, before + step)));
  /** Whoever asks for an event wants to see it. */
  const choose = (row: number): void => {
    setSelected(row);
    if (pane === 'policy' || pane === 'answer') setPane('event');
  };
  // Where it stands below the forms, the outcome is what one wants to see.
  useEffect(() => {
    if (progress === 'running' && matchMedia('(width < 60rem)').matches)
      outcome.current?.scrollIntoView({ block: 'start' });
  }, [progress]);
  // The rows of the last trace are gone.
  useEffect(() => {
    if (rows.length === 0) setSelected(0);
  }, [rows.length]);
  useKeys(isShown && rows.length > 0, {
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    ...Object.fromEntries(PANES.map((one) => [one.key, () => setPane(one.pane)])),
  });
  return (
    <>
      <div class="forms">
        <RequestForm dump={dump} tracing={tracing} />
        <WatchForm tracing={tracing} />
      </div>
      <div ref={outcome}>
        <OutcomeLine tracing={tracing} go={go} select={choose} />
      </div>
      {rows.length === 0 && tracing.answer === undefined ? (
        <Empty tracing={tracing} />
      ) : (
        <div class="trace">
          <section class="list" aria-label="Events">
            <EventList rows={rows} selected={selected} select={choose} />
            <p class="faint keys">Keys: j and k move; e, s, c, p and a choose what is shown.</p>
          </section>
          <section class="detail" aria-label="Detail">
            <div class="panes" role="group" aria-label="What is shown">
              {PANES.map((one) => (
                <button key={one.pane} type="button" aria-pressed={pane === one.pane} onClick={() => setPane(one.pane)}>
                  {one.label}
                </button>
              ))}
            </div>
            {pane === 'policy' && <SelectionsView rows={rows} go={go} />}
            {pane === 'answer' && <AnswerView answer={tracing.answer} />}
            {pane !== 'policy' && pane !== 'answer' && <EventDetail rows={rows} selected={selected} mode={pane} />}
          </section>
        </div>
      )}
    </>
  );
}

function Empty({ tracing: { progress } }: { readonly tracing: Tracing }): JSX.Element | null {
  if (progress !== 'idle' && progress !== 'stopped') return null;
  return (
    <p class="empty">
      There is no trace yet. <b>Send</b> a request above, or <b>wait for the next one</b> and make it yourself, for
      instance with curl: its events appear here, with the route that matched, the policies in force and where they come
      from.
    </p>
  );
}
