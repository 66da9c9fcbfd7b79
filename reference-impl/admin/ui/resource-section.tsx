import type { JSX } from 'preact';
import { perObject } from '../../base/per-object.ts';
import { conditionsOf, type Condition, type Statuses } from './conditions.ts';
import type { Dump, DumpResource } from './dump.ts';

export interface ResourceName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A resource as it was written, credentials hidden, and the conditions of its status. */
export function ResourceSection({
  dump,
  status,
  resource,
}: {
  readonly dump: Dump;
  readonly status: Statuses;
  readonly resource: ResourceName;
}): JSX.Element | null {
  const written = findResource(dump, resource);
  const conditions = conditionsOf(status, nameText(resource));
  return (
    <>
      {conditions.length > 0 && (
        <>
          <h3>Status</h3>
          <ul class="conditions">
            {conditions.map((condition, index) => (
              <li key={index} class={isWrong(condition) ? 'bad' : undefined}>
                {condition.type}: {condition.holds ? 'yes' : 'no'} · {condition.reason}{' '}
                <span class="faint">{condition.message}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {written !== undefined && (
        <details>
          <summary>
            {resource.kind} {resource.namespace}/{resource.name} as it was written
          </summary>
          <pre tabIndex={0}>{JSON.stringify(written, undefined, 2)}</pre>
        </details>
      )}
    </>
  );
}

export function findResource(dump: Dump, resource: ResourceName): DumpResource | undefined {
  return byName(dump).get(nameText(resource));
}

const byName = perObject(
  ({ resources }: Dump): ReadonlyMap<string, DumpResource> =>
    new Map(
      Object.values(resources)
        .flat()
        .map((one) => [`${one.kind} ${one.metadata.namespace ?? 'default'}/${one.metadata.name}`, one]),
    ),
);

function nameText({ kind, namespace, name }: ResourceName): string {
  return `${kind} ${namespace}/${name}`;
}

/** What its conditions complain of; empty when they do not. */
export function problemOf(status: Statuses, resource: ResourceName): string {
  const wrong = conditionsOf(status, nameText(resource)).find(isWrong);
  return wrong === undefined ? '' : `${wrong.type}: ${wrong.reason}`;
}

/** These are good when they hold; of others the page does not know which way round they are meant. */
const GOOD: ReadonlySet<string> = new Set(['Accepted', 'Programmed', 'ResolvedRefs', 'Attached', 'Ready', 'Valid']);

function isWrong({ type, holds }: Condition): boolean {
  return GOOD.has(type) && !holds;
}
