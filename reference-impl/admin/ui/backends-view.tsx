import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Browse, type Item } from './browse.tsx';
import { listenersOf, refText, type Dump, type DumpBackend } from './dump.ts';
import type { Go, Place } from './place.ts';
import { PolicyTable } from './policy-table.tsx';
import { problemOf, ResourceSection } from './resource-section.tsx';
import type { Configured } from './use-configuration.ts';

/** A backend as one rule reaches it. */
interface Reached {
  readonly rule: string;
  readonly backend: DumpBackend;
}

/** Every ProxyBackend, and whatever else routes lead to: where it is, and its policies for each way. */
export function BackendsView({
  dump,
  status,
  place,
  go,
}: Configured & { readonly place: Place; readonly go: Go }): JSX.Element {
  const items = useMemo(
    () =>
      [...backendsOf(dump)].map(([id, { ref, ways }]): Item => {
        const { kind, namespace, name } = ref;
        const unresolved = ways.find(({ backend }) => backend.unresolved !== undefined);
        const endpoints = [...new Set(ways.flatMap(({ backend }) => backend.endpoints ?? []))];
        return {
          id,
          title: id,
          note: ways.length === 0 ? 'no rule leads to it' : endpoints.join(', '),
          problem: unresolved?.backend.message ?? problemOf(status, { kind, namespace, name }),
          detail: () => (
            <>
              {ways.length === 0 && <p>No rule leads to it: name it in the backendRefs of an HTTPRoute.</p>}
              {ways.slice(0, MOST_WAYS).map(({ rule, backend }, index) => (
                <section key={index}>
                  <h3>
                    By rule{' '}
                    <button type="button" class="link" onClick={() => go({ view: 'routes', words: '', open: rule })}>
                      {rule}
                    </button>
                  </h3>
                  {backend.unresolved === undefined ? (
                    <PolicyTable policy={backend.policies} sources={backend.sources} go={go} />
                  ) : (
                    <p class="bad">{backend.message}</p>
                  )}
                </section>
              ))}
              {ways.length > MOST_WAYS && <p class="faint">and by {ways.length - MOST_WAYS} more rules</p>}
              <ResourceSection dump={dump} status={status} resource={{ kind, namespace, name }} />
            </>
          ),
        };
      }),
    [dump, status],
  );
  const empty =
    'There is no backend. Write a ProxyBackend with static.host and static.port, and name it in the backendRefs of a route.';
  return <Browse items={items} label="backends" empty={empty} place={place} go={go} />;
}

const MOST_WAYS = 20;

interface Known {
  readonly ref: DumpBackend['ref'];
  readonly ways: Reached[];
}

/** By `Kind namespace/name`, with the port of a Service. */
function backendsOf(dump: Dump): ReadonlyMap<string, Known> {
  const found = new Map<string, Known>();
  for (const { metadata } of dump.resources['ProxyBackend'] ?? []) {
    const ref = { kind: 'ProxyBackend', namespace: metadata.namespace ?? 'default', name: metadata.name, port: null };
    found.set(refText(ref), { ref, ways: [] });
  }
  for (const { listener } of listenersOf(dump))
    for (const { key, backends } of listener.rules)
      for (const backend of backends) {
        const ref = backend.ref.kind === 'ProxyBackend' ? { ...backend.ref, port: null } : backend.ref;
        const known = found.get(refText(ref)) ?? { ref, ways: [] };
        known.ways.push({ rule: key, backend });
        found.set(refText(ref), known);
      }
  return found;
}
