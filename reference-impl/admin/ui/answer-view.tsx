import type { JSX } from 'preact';
import { bodyText } from './detail-lines.ts';
import type { Answer } from './use-trace.ts';

/** What came back to the page. */
export function AnswerView({ answer }: { readonly answer: Answer | undefined }): JSX.Element {
  if (answer === undefined) return <p>An answer is shown here when the page itself sent the request.</p>;
  const { status, reason, headers, body, cut } = answer;
  return (
    <>
      <pre tabIndex={0} aria-label="head of the answer">
        {[`${status} ${reason}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n')}
      </pre>
      {body === '' ? (
        <p class="faint">It has no body.</p>
      ) : (
        <pre tabIndex={0} aria-label="body of the answer">
          {bodyText(body)}
        </pre>
      )}
      {cut && <p class="faint">There is more: the page reads the first 256 KiB.</p>}
    </>
  );
}
