import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { objectMember, stringMember } from '../../base/members.ts';
import { Browse, type Item } from './browse.tsx';
import { inForceBy, type InForce } from './in-force.ts';
import type { Go, Place } from './place.ts';
import { problemOf, ResourceSection } from './resource-section.tsx';
import type { Configured } from './use-configuration.ts';

/** More places than that are not listed. */
const MOST_PLACES = 100;

/** Every ProxyPolicy: what it is for, and where which of its fields are in force after merging. */
export function PoliciesView({
  dump,
  status,
  place,
  go,
}: Configured & { readonly place: Place; readonly go: Go }): JSX.Element {
  const items = useMemo(() => {
    const inForce = inForceBy(dump);
    return (dump.resources['ProxyPolicy'] ?? []).map(({ metadata, spec }): Item => {
      const resource = { kind: 'ProxyPolicy', namespace: metadata.namespace ?? 'default', name: metadata.name };
      const id = `${resource.namespace}/${resource.name}`;
      const places = inForce.get(`ProxyPolicy ${id}`) ?? [];
      return {
        id,
        title: id,
        note: `for ${targetText(spec)} · ${places.length === 0 ? 'in force nowhere' : fieldsOf(places)}`,
        problem: problemOf(status, resource),
        detail: () => (
          <>
            <h3>In force</h3>
            {places.length === 0 && (
              <p>
                Nowhere: its target is missing or serves nothing, or other policies say the same at a level that counts
                more.
              </p>
            )}
            <ul>
              {places.slice(0, MOST_PLACES).map((one, index) => (
                <li key={index}>
                  <b>{one.field}</b> at {one.level}, for{' '}
                  <button type="button" class="link" onClick={() => go({ view: one.view, words: '', open: one.open })}>
                    {one.place}
                  </button>
                </li>
              ))}
            </ul>
            {places.length > MOST_PLACES && <p class="faint">and {places.length - MOST_PLACES} more places</p>}
            <ResourceSection dump={dump} status={status} resource={resource} />
          </>
        ),
      };
    });
  }, [dump, status]);
  const empty =
    'There is no ProxyPolicy. One says by targetRefs what it is for: a Gateway, a listener, a route, a rule or a backend.';
  return <Browse items={items} label="policies" empty={empty} place={place} go={go} />;
}

function targetText(spec: unknown): string {
  const refs = objectMember(spec, 'targetRefs');
  if (!Array.isArray(refs)) return 'what its selectors choose';
  return refs
    .map((ref: unknown) =>
      ['kind', 'name', 'sectionName']
        .map((member) => stringMember(ref, member))
        .filter(Boolean)
        .join(' '),
    )
    .join(', ');
}

function fieldsOf(places: readonly InForce[]): string {
  return [...new Set(places.map(({ field }) => field))].join(', ');
}
