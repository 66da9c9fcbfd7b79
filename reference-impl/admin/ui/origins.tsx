import type { JSX } from 'preact';
import { originText, type Origin } from './outcome.ts';
import type { Go, View } from './place.ts';

/** Where an object of a kind is shown. */
const VIEW_OF: Readonly<Record<string, View>> = {
  ProxyPolicy: 'policies',
  HTTPRoute: 'routes',
  ProxyBackend: 'backends',
};

/** The resources that wrote a field, each a way to it. */
export function Origins({ origins, go }: { readonly origins: readonly Origin[]; readonly go: Go }): JSX.Element {
  return (
    <>
      {origins.map((origin, index) => {
        const { kind, namespace, name } = origin;
        const view = VIEW_OF[kind];
        return (
          <span key={index} class="origin">
            {view === undefined ? (
              originText(origin)
            ) : (
              <button type="button" class="link" onClick={() => go(wayTo(view, `${namespace}/${name}`))}>
                {originText(origin)}
              </button>
            )}
          </span>
        );
      })}
    </>
  );
}

/** A route has a row for each of its rules, so that its name only narrows the list. */
function wayTo(view: View, name: string): { readonly view: View; readonly words: string; readonly open: string } {
  if (view === 'routes') return { view, words: name, open: '' };
  return { view, words: '', open: view === 'backends' ? `ProxyBackend ${name}` : name };
}
