import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { BackendsView } from './backends-view.tsx';
import { ListenersView } from './listeners-view.tsx';
import { readPlace, VIEWS, writePlace, type Place } from './place.ts';
import { PoliciesView } from './policies-view.tsx';
import { RoutesView } from './routes-view.tsx';
import { TraceView } from './trace-view.tsx';
import { useConfiguration } from './use-configuration.ts';
import { useTrace } from './use-trace.ts';

const CONFIGURATION = {
  listeners: ListenersView,
  routes: RoutesView,
  policies: PoliciesView,
  backends: BackendsView,
} as const;

/** The whole page: what happens to a request, and the configuration it happens by. */
export function App(): JSX.Element {
  const [place, setPlace] = useState<Place>(() => readPlace(location.hash));
  const tracing = useTrace();
  const configuration = useConfiguration();
  useEffect(() => {
    const follow = (): void => setPlace(readPlace(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const go = (change: Partial<Place>): void => {
    const next = { ...place, ...change };
    setPlace(next);
    history.replaceState(null, '', writePlace(next));
  };
  const { configured, problem, reload } = configuration;
  const dump = configured?.dump;
  const Shown = place.view === 'trace' ? undefined : CONFIGURATION[place.view];
  return (
    <>
      <header>
        <h1>refproxy</h1>
        <p class="faint">
          {dump === undefined ? 'reading the configuration …' : `configuration ${dump.generation}`}{' '}
          <button type="button" class="link" onClick={reload}>
            read again
          </button>
        </p>
      </header>
      <nav aria-label="Views">
        {VIEWS.map(({ view, label }) => (
          <button
            key={view}
            type="button"
            aria-current={place.view === view ? 'page' : undefined}
            onClick={() => {
              if (view !== place.view) go({ view, words: '', open: '' });
              reload();
            }}
          >
            {label}
          </button>
        ))}
      </nav>
      <main>
        {problem !== '' && <p class="bad">The configuration cannot be read: {problem}</p>}
        {/* Hidden, not gone: what was typed and traced is there on the way back. */}
        <div hidden={Shown !== undefined}>
          <TraceView dump={dump} tracing={tracing} go={go} isShown={Shown === undefined} />
        </div>
        {Shown !== undefined && configured !== undefined && (
          <Shown key={place.view} {...configured} place={place} go={go} />
        )}
      </main>
      <footer class="faint">
        <a href="/config_dump">configuration as JSON</a> · <a href="/status">status</a> ·{' '}
        <a href="/healthz/ready">readiness</a>
      </footer>
    </>
  );
}
