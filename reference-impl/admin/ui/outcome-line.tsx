import type { JSX } from 'preact';
import { objectMember, stringMember } from '../../base/members.ts';
import { readExpressionError } from './expression-error.ts';
import { Origins } from './origins.tsx';
import { outcomeOf } from './outcome.ts';
import type { Go } from './place.ts';
import type { Progress, Tracing } from './use-trace.ts';

const WORDS: Readonly<Record<Progress, string>> = {
  idle: '',
  sending: 'Sending the request …',
  waiting: 'Waiting for the next request …',
  running: 'The request is under way …',
  complete: 'The trace is complete.',
  cut: 'The trace is not complete.',
  stopped: 'Stopped.',
  refused: 'Nothing was traced.',
};

/** How far it is, what became of the request, and which route and which resource are behind it. */
export function OutcomeLine({
  tracing,
  go,
  select,
}: {
  readonly tracing: Tracing;
  readonly go: Go;
  readonly select: (row: number) => void;
}): JSX.Element {
  const { rows, answer, progress, problem, expression } = tracing;
  const outcome = outcomeOf(rows);
  const selection = rows.find(({ type }) => type === 'routeSelection');
  const route = stringMember(objectMember(selection?.event, 'message'), 'selectedRoute');
  // The form shows it with its place.
  const isShownElsewhere = readExpressionError(problem, expression) !== undefined;
  const isLost = progress === 'cut' && answer !== undefined && rows.length === 0;
  return (
    <section class="outcome" aria-label="Outcome">
      <p role="status">
        {answer !== undefined && <b class={answer.status < 400 ? 'good' : 'bad'}>{answer.status} </b>}
        <span class="faint">
          {isLost
            ? 'Answered, but not traced: another client that waited took the trace, or no request could be read.'
            : WORDS[progress]}
        </span>
      </p>
      {problem !== '' && !isShownElsewhere && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      {route !== undefined && (
        <p>
          Route{' '}
          <button type="button" class="link" onClick={() => go({ view: 'routes', words: '', open: route })}>
            {route}
          </button>
        </p>
      )}
      {outcome !== undefined && (
        <p class={outcome.tone}>
          {upper(outcome.text)}{' '}
          {outcome.row !== undefined && (
            <button type="button" class="link" onClick={() => select(outcome.row ?? 0)}>
              event {outcome.row + 1}
            </button>
          )}
        </p>
      )}
      {outcome !== undefined && outcome.origins.length > 0 && (
        <p>
          {outcome.field} comes from <Origins origins={outcome.origins} go={go} />
        </p>
      )}
    </section>
  );
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
