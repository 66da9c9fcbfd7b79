import { isList, isObject } from '../values/json.ts';
import type { Resource, Session } from './session.ts';
import { fairNow } from './time/fair-time.ts';

/** A Gateway whose address is wanted. */
export interface AddressQuestion {
  readonly gateway: Resource;
  /** Everything beside it that the operation may want to see. */
  readonly resources: readonly Resource[];
  readonly caseId: string;
  readonly withinMs: number;
}

const PAUSE_MS = 20;

/** The first address in the status of a Gateway, once it is Programmed; undefined when it is not in time. */
export async function gatewayAddress(
  session: Pick<Session, 'op' | 'crashed'>,
  { gateway, resources, caseId, withinMs }: AddressQuestion,
): Promise<string | undefined> {
  const { name, namespace } = isObject(gateway['metadata']) ? gateway['metadata'] : {};
  const question = { resources, kind: 'Gateway', name, namespace };
  const deadline = fairNow() + withinMs;
  while (session.crashed() === undefined) {
    const answer = await session.op('status', question, caseId);
    const address = answer.kind === 'result' ? programmedAddress(answer.result) : undefined;
    if (address !== undefined || fairNow() > deadline) return address;
    // Like the canary's: a back-off between polls of a foreign program.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return undefined;
}

function programmedAddress(result: unknown): string | undefined {
  const status = isObject(result) && isObject(result['status']) ? result['status'] : {};
  const isProgrammed = objectsOf(status['conditions']).some(
    (one) => one['type'] === 'Programmed' && one['status'] === 'True',
  );
  const [address] = objectsOf(status['addresses']);
  return isProgrammed && typeof address?.['value'] === 'string' ? address['value'] : undefined;
}

function objectsOf(value: unknown): readonly Resource[] {
  return isList(value) ? value.filter(isObject) : [];
}
