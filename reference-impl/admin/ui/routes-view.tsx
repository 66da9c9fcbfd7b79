import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { objectMember } from '../../base/members.ts';
import { Browse, type Item } from './browse.tsx';
import { listenersOf, listenerText, refText, type DumpListener, type DumpRule } from './dump.ts';
import type { Go, Place } from './place.ts';
import { PolicyTable } from './policy-table.tsx';
import { findResource, problemOf, ResourceSection } from './resource-section.tsx';
import type { Configured } from './use-configuration.ts';

/** A rule where it hangs: what applies to it depends on the listener. */
interface Hung {
  readonly listener: DumpListener;
  readonly rule: DumpRule;
}

/** Every rule of every route: what it matches, where it leads, and its policies on each listener. */
export function RoutesView({
  dump,
  status,
  place,
  go,
}: Configured & { readonly place: Place; readonly go: Go }): JSX.Element {
  const items = useMemo(() => {
    const hung = listenersOf(dump).flatMap(({ listener }) => listener.rules.map((rule) => ({ listener, rule })));
    return [...Map.groupBy(hung, ({ rule }) => rule.key)].flatMap(([key, places]): Item[] => {
      const rule = places[0]?.rule;
      if (rule === undefined) return [];
      const { spec } = findResource(dump, rule.route) ?? {};
      const index = Number(key.slice(key.lastIndexOf('.') + 1));
      const rules = objectMember(spec, 'rules');
      const written: unknown = Array.isArray(rules) ? rules[index] : undefined;
      const unresolved = rule.backends.find((backend) => backend.unresolved !== undefined);
      const item: Item = {
        id: key,
        title: rule.route.rule === null ? key : `${key} (${rule.route.rule})`,
        note: [matchText(written), rule.backends.map(({ ref }) => refText(ref)).join(', ')].filter(Boolean).join(' → '),
        problem: unresolved?.message ?? problemOf(status, nameOf(rule)),
        detail: () => (
          <>
            <h3>Matches</h3>
            <pre tabIndex={0}>{JSON.stringify(objectMember(written, 'matches') ?? 'every request', undefined, 2)}</pre>
            {places.map((one, at) => (
              <RuleOnListener key={at} {...one} go={go} />
            ))}
            <ResourceSection dump={dump} status={status} resource={nameOf(rule)} />
          </>
        ),
      };
      return [item];
    });
  }, [dump, status]);
  const empty = 'No route hangs on a listener. Write an HTTPRoute whose parentRefs name a Gateway.';
  return <Browse items={items} label="routes" empty={empty} place={place} go={go} />;
}

function RuleOnListener({ listener, rule, go }: Hung & { readonly go: Go }): JSX.Element {
  return (
    <section>
      <h3>Policy on {listenerText(listener)}</h3>
      <PolicyTable policy={rule.postRouting} sources={rule.sources} go={go} />
      {rule.backends.map((backend, index) => (
        <div key={index}>
          <h3>
            Backend {refText(backend.ref)}, weight {backend.weight}
          </h3>
          {backend.unresolved === undefined ? (
            <PolicyTable policy={backend.policies} sources={backend.sources} go={go} />
          ) : (
            <p class="bad">{backend.message}</p>
          )}
        </div>
      ))}
    </section>
  );
}

/** `GET /a, /b*` */
function matchText(rule: unknown): string {
  const matches = objectMember(rule, 'matches');
  if (!Array.isArray(matches) || matches.length === 0) return 'every request';
  return matches
    .map((match: unknown) => {
      const path = objectMember(match, 'path');
      const value = textOf(objectMember(path, 'value')) || '/';
      const shown = objectMember(path, 'type') === 'Exact' ? value : `${value}*`;
      return [textOf(objectMember(match, 'method')), shown].filter(Boolean).join(' ');
    })
    .join(', ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function nameOf({ route: { kind, namespace, name } }: DumpRule): { kind: string; namespace: string; name: string } {
  return { kind, namespace, name };
}
