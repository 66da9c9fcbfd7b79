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
  /** Nobody may serve it: after so long it is given up unless somebody has accepted it. */
  readonly acceptedWithinMs?: number;
  /** Told the status it had last when no address came of it. */
  readonly instead?: (what: string) => void;
}

/** The last one is repeated: dozens of Gateways may be waited for at the same time, all of one API server. */
const PAUSES_MS = [20, 20, 40, 80, 160, 320] as const;

/** The first address in the status of a Gateway, once it is Programmed; undefined when it is not in time. */
export async function gatewayAddress(
  session: Pick<Session, 'op' | 'crashed'>,
  { gateway, resources, caseId, withinMs, acceptedWithinMs = withinMs, instead }: AddressQuestion,
): Promise<string | undefined> {
  const { name, namespace } = isObject(gateway['metadata']) ? gateway['metadata'] : {};
  const question = { resources, kind: 'Gateway', name, namespace };
  const begun = fairNow();
  for (let round = 0; session.crashed() === undefined; round++) {
    const answer = await session.op('status', question, caseId);
    const status = answer.kind === 'result' ? statusIn(answer.result) : {};
    const address = programmedAddress(status);
    if (address !== undefined) return address;
    if (fairNow() - begun > (isTrue('Accepted', status) ? withinMs : Math.min(acceptedWithinMs, withinMs))) {
      instead?.(answer.kind === 'result' ? inWords(status) : `op status: ${answer.message}`);
      return undefined;
    }
    // Like the canary's: a back-off between polls of a foreign program.
    await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[round] ?? PAUSES_MS.at(-1)));
  }
  return undefined;
}

/** Without the conditions that speak of the Gateway as it was before: its address may be another's by now. */
function statusIn(result: unknown): Resource {
  if (!isObject(result) || !isObject(result['status'])) return {};
  const { status, generation } = result;
  const conditions = objectsOf(status['conditions']).filter((one) => !isOlder(one['observedGeneration'], generation));
  return { ...status, conditions };
}

function isOlder(observed: unknown, generation: unknown): boolean {
  return typeof observed === 'number' && typeof generation === 'number' && observed < generation;
}

function programmedAddress(status: Resource): string | undefined {
  const [address] = objectsOf(status['addresses']);
  return isTrue('Programmed', status) && typeof address?.['value'] === 'string' ? address['value'] : undefined;
}

function isTrue(type: string, { conditions }: Resource): boolean {
  return objectsOf(conditions).some((one) => one['type'] === type && one['status'] === 'True');
}

/** What a status says of a Gateway that has no address. */
function inWords(status: Resource): string {
  const conditions = objectsOf(status['conditions']).map(({ type, status: is, reason, message }) =>
    [`${String(type)} is ${String(is)}`, reason, message]
      .filter((part) => part !== undefined && part !== '')
      .join(', '),
  );
  const addresses = objectsOf(status['addresses']).length;
  return conditions.length === 0 ? 'it has no conditions' : [...conditions, `addresses: ${addresses}`].join('; ');
}

function objectsOf(value: unknown): readonly Resource[] {
  return isList(value) ? value.filter(isObject) : [];
}
