import type { JSX } from 'preact';
import { conditionsOf, type Condition } from './conditions.ts';
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
  readonly status: unknown;
  readonly resource: ResourceName;
}): JSX.Element | null {
  const written = findResource(dump, resource);
  const conditions = conditionsOf(status, resource);
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

export function findResource({ resources }: Dump, { kind, namespace, name }: ResourceName): DumpResource | undefined {
  return resources[kind]?.find(
    ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'default') === namespace,
  );
}

/** What its conditions complain of; empty when they do not. */
export function problemOf(status: unknown, resource: ResourceName): string {
  const wrong = conditionsOf(status, resource).find(isWrong);
  return wrong === undefined ? '' : `${wrong.type}: ${wrong.reason}`;
}

/** These are good when they hold; of others the page does not know which way round they are meant. */
const GOOD: ReadonlySet<string> = new Set(['Accepted', 'Programmed', 'ResolvedRefs', 'Attached', 'Ready', 'Valid']);

function isWrong({ type, holds }: Condition): boolean {
  return GOOD.has(type) && !holds;
}
