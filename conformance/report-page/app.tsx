import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageData } from '../runner/report/documents/page-data.ts';
import { CasesView } from './cases-view.tsx';
import { ClausesView } from './clauses-view.tsx';
import { CompareView } from './compare-view.tsx';
import { DefectsView } from './defects-view.tsx';
import { Head } from './head.tsx';
import { readPlace, writePlace, type Place, type View } from './place.ts';

const VIEWS: readonly { readonly view: View; readonly label: string }[] = [
  { view: 'cases', label: 'Cases' },
  { view: 'clauses', label: 'Clauses' },
  { view: 'defects', label: 'Defects' },
  { view: 'compare', label: 'Compare' },
];

/** The whole page. What is looked at stands in the address, so that a place can be sent to somebody. */
export function App({ data }: { readonly data: PageData }): JSX.Element {
  const [place, setPlace] = useState<Place>(() => readPlace(location.hash));
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
  const report = data.reports[place.report] ?? data.reports[0];
  const views = useMemo(() => VIEWS.filter(({ view }) => view !== 'compare' || data.reports.length > 1), [data]);
  if (report === undefined) return <p>There is no report in this file.</p>;
  const shared = { data, report, place, go };
  return (
    <>
      <Head {...shared} />
      <nav aria-label="Views">
        {views.map(({ view, label }) => (
          <button
            key={view}
            type="button"
            aria-current={place.view === view ? 'page' : undefined}
            onClick={() => go({ view })}
          >
            {label}
          </button>
        ))}
      </nav>
      <main>
        {place.view === 'cases' && <CasesView {...shared} />}
        {place.view === 'clauses' && <ClausesView {...shared} />}
        {place.view === 'defects' && <DefectsView {...shared} />}
        {place.view === 'compare' && <CompareView {...shared} />}
      </main>
    </>
  );
}
