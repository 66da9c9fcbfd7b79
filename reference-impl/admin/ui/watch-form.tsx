import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { readExpressionError } from './expression-error.ts';
import type { Tracing } from './use-trace.ts';

/** Waits for a request that somebody else sends; an expression says which. */
export function WatchForm({ tracing }: { readonly tracing: Tracing }): JSX.Element {
  const [expression, setExpression] = useState('');
  const input = useRef<HTMLTextAreaElement>(null);
  const { progress, problem } = tracing;
  const error = progress === 'refused' ? readExpressionError(problem, tracing.expression) : undefined;
  const isWaiting = progress === 'waiting' || progress === 'sending' || progress === 'running';
  useEffect(() => {
    if (error === undefined) return;
    input.current?.focus();
    input.current?.setSelectionRange(error.offset, error.offset + 1);
  }, [error?.offset, problem]);
  return (
    <form
      class="watch"
      aria-label="Wait for a request"
      onSubmit={(event) => {
        event.preventDefault();
        tracing.watch(expression.trim());
      }}
    >
      <h2>Wait for a request</h2>
      <label>
        Only one for which
        <textarea
          ref={input}
          name="expression"
          rows={2}
          autocomplete="off"
          spellcheck={false}
          placeholder='request.path == "/orders"'
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : 'expression-error'}
          value={expression}
          onInput={(event) => setExpression(event.currentTarget.value)}
        />
      </label>
      {error !== undefined && (
        <div id="expression-error" role="alert">
          <p class="bad">
            Line {error.line}, column {error.column}: {error.message}
          </p>
          <pre class="picture">{error.picture}</pre>
        </div>
      )}
      <button type="submit">Wait for the next one</button>{' '}
      <button type="button" disabled={!isWaiting} onClick={tracing.stop}>
        Stop
      </button>
    </form>
  );
}
