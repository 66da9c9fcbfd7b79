import type { ComponentChildren, JSX } from 'preact';
import type { CaseEntry } from '../runner/report/report-schema.ts';
import { excerptOf } from './excerpt.ts';
import type { ViewProps } from './place.ts';

type Evidence = NonNullable<CaseEntry['evidence']>;
type Message = Evidence['exchanges'][number]['request'];
type Check = NonNullable<CaseEntry['failures']>[number];

/** Everything that is known of a case: what it stands on, what was expected and seen, who saw what when, and how to see it again. */
export function CaseDetail({ entry, data, go }: ViewProps & { readonly entry: CaseEntry }): JSX.Element {
  const source = excerptOf(data.sources[entry.file] ?? '', entry.id);
  const { evidence } = entry;
  return (
    <section class="detail" aria-label={`Case ${entry.id}`}>
      <button type="button" class="close" aria-label="Close" onClick={() => go({ open: '' })}>
        ×
      </button>
      <h2>
        <span class={`verdict ${entry.verdict}`}>{entry.verdict}</span> {entry.id}
      </h2>
      <p>{entry.title}</p>
      <p class="faint">
        {entry.level} · {entry.layer} · {entry.durationMs} ms · {entry.file}
        {entry.line === undefined ? '' : `:${entry.line}`}
        {entry.needs.length === 0 ? '' : ` · needs ${entry.needs.join(', ')}`}
      </p>
      {entry.reason !== undefined && <p class={`reason ${entry.verdict}`}>{entry.reason}</p>}
      <Part title="Clauses">
        {[...Map.groupBy(entry.clauses, ({ id }) => id)].map(([id, cited]) => (
          <blockquote key={id}>
            <button type="button" class="link" onClick={() => go({ view: 'clauses', clause: id })}>
              {id}
            </button>{' '}
            <span class="faint">
              {cited.map(({ as }) => as).join(', ')} · {data.clauses[id]?.source}
            </span>
            <br />
            {data.clauses[id]?.statement}
          </blockquote>
        ))}
      </Part>
      <Checks title="Expected and seen" checks={entry.failures} />
      <Checks title="Recorded, not judged" checks={entry.observed} />
      {entry.attempts !== undefined && (
        <Part title="Repeated alone">
          <ol>
            {entry.attempts.map((attempt, index) => (
              <li key={index}>
                <span class={`verdict ${attempt.verdict}`}>{attempt.verdict}</span> {attempt.reason} (
                {attempt.durationMs} ms)
              </li>
            ))}
          </ol>
        </Part>
      )}
      {evidence !== undefined && <EvidenceParts evidence={evidence} />}
      {entry.kills.length > 0 && (
        <Part title="Defects it catches">
          {entry.kills.map((defect) => (
            <button key={defect} type="button" class="link" onClick={() => go({ view: 'defects', defect })}>
              {defect}
            </button>
          ))}
        </Part>
      )}
      {source !== '' && (
        <Part title={`The case (${entry.file})`}>
          <pre>{source}</pre>
        </Part>
      )}
    </section>
  );
}

function EvidenceParts({ evidence }: { readonly evidence: Evidence }): JSX.Element {
  const { exchanges, timeline, logs, outside, peers, traces, configurations } = evidence;
  return (
    <>
      {exchanges.length > 0 && (
        <Part title="Exchanges">
          {exchanges.map(({ step, request, answer, failure }, index) => (
            <details key={index} open>
              <summary>
                step {step}
                {failure === undefined ? '' : ` (${failure})`}
              </summary>
              <MessageText message={request} side="request" />
              <MessageText message={answer} side="answer" />
            </details>
          ))}
        </Part>
      )}
      {timeline.length > 0 && (
        <Part title="Who saw what">
          <table class="timeline">
            <tbody>
              {timeline.map(({ atMs, who, what }, index) => (
                <tr key={index}>
                  <td class="number">{atMs.toFixed(1)} ms</td>
                  <td>{who}</td>
                  <td>{what}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Part>
      )}
      {Object.entries(peers).map(([name, seen]) => (
        <Part key={name} title={`What arrived at ${name}`}>
          <pre>{JSON.stringify(seen, null, 2)}</pre>
        </Part>
      ))}
      {Object.entries(traces).map(([name, seen]) => (
        <Part key={name} title={`Trace ${name}`}>
          <pre>{JSON.stringify(seen, null, 2)}</pre>
        </Part>
      ))}
      {logs.length > 0 && (
        <Part title="Log of the implementation">
          <pre>{logs.join('\n')}</pre>
        </Part>
      )}
      {configurations.length > 0 && (
        <Part title="Configuration as delivered">
          <ul>
            {configurations.map((file) => (
              <li key={file}>
                <a href={file}>{file}</a>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {outside.length > 0 && (
        <Part title="See it again by hand">
          <pre>{outside.join('\n')}</pre>
        </Part>
      )}
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <section class="part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Checks({
  title,
  checks,
}: {
  readonly title: string;
  readonly checks: readonly Check[] | undefined;
}): JSX.Element | null {
  if (checks === undefined || checks.length === 0) return null;
  return (
    <Part title={title}>
      {checks.map(({ what, line, expected, actual }, index) => (
        <div key={index} class="check">
          <b>{what}</b>
          {line !== undefined && <span class="faint"> line {line}</span>}
          <pre class="expected">{expected}</pre>
          <pre class="actual">{actual}</pre>
        </div>
      ))}
    </Part>
  );
}

function MessageText({ message, side }: { readonly message: Message; readonly side: string }): JSX.Element {
  const { head, body, base64, bytes } = message;
  const content = body ?? base64;
  return (
    <pre class={side} aria-label={side}>
      {head === '' ? '(nothing came)' : head}
      {content !== undefined && '\n\n'}
      {typeof content === 'string' ? content : content !== undefined && <a href={content.file}>{content.file}</a>}
      {base64 !== undefined && `\n(${bytes} bytes that are no text, as base64)`}
    </pre>
  );
}
