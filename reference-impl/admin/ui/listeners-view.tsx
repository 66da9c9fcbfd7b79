import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Browse, type Item } from './browse.tsx';
import { listenersOf, listenerText } from './dump.ts';
import type { Go, Place } from './place.ts';
import { PolicyTable } from './policy-table.tsx';
import { problemOf, ResourceSection } from './resource-section.tsx';
import type { Configured } from './use-configuration.ts';

/** Who listens where, with which policies before a route is chosen. */
export function ListenersView({
  dump,
  status,
  place,
  go,
}: Configured & { readonly place: Place; readonly go: Go }): JSX.Element {
  const items = useMemo(
    () =>
      listenersOf(dump).map(({ port, listener }): Item => {
        const resource = { kind: 'Gateway', ...listener.gateway };
        const count = listener.rules.length;
        return {
          id: `${port} ${listenerText(listener)}`,
          title: `${port} ${listener.hostname ?? 'every host'}`,
          note: `${listener.tls ? 'TLS' : 'plain'} · ${listenerText(listener)} · ${count} ${count === 1 ? 'rule' : 'rules'}`,
          problem: problemOf(status, resource),
          detail: () => (
            <>
              <h3>Before a route is chosen</h3>
              <PolicyTable policy={listener.preRouting} sources={listener.sources.preRouting} go={go} />
              <h3>Connections</h3>
              <PolicyTable policy={listener.frontend} sources={listener.sources.frontend} go={go} />
              <h3>Rules</h3>
              {count === 0 && <p class="faint">No route hangs on it: every request is answered 404.</p>}
              <ul>
                {listener.rules.slice(0, MOST_RULES).map(({ key }) => (
                  <li key={key}>
                    <button type="button" class="link" onClick={() => go({ view: 'routes', words: '', open: key })}>
                      {key}
                    </button>
                  </li>
                ))}
              </ul>
              {count > MOST_RULES && <p class="faint">and {count - MOST_RULES} more, under Routes</p>}
              <ResourceSection dump={dump} status={status} resource={resource} />
            </>
          ),
        };
      }),
    [dump, status],
  );
  const empty =
    'No Gateway opens a port. Write one with a listener, or start the proxy with --config examples/quick-start.';
  return <Browse items={items} label="listeners" empty={empty} place={place} go={go} />;
}

const MOST_RULES = 100;
