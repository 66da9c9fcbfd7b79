import { randomBytes } from 'node:crypto';
import { isList, isObject } from '../../values/json.ts';
import type { Dialect } from '../dialect.ts';
import type { OperationAnswer, Resource } from '../session.ts';
import { fairNow } from '../time/fair-time.ts';
import { NOT_SERVED, refOf, type ApiResponse, type KubernetesClient } from './client.ts';
import { inRun } from './run-mark.ts';
import { refusals, stuckIn, translateResource, whyStuck, type ClusterNames } from './kubernetes-delivery.ts';

/** Operations that an API server answers by itself, whoever stands behind it. */
export const KUBERNETES_OPS: readonly string[] = ['validate', 'status'];

/** Groups that an implementation takes its definitions of from others. */
const OF_OTHERS = /^[a-z.]+\.k8s\.io\//;

/** A controller writes a status some time after the object is there, or was changed. */
const STATUS_LATE_MS = 10_000;
const STATUS_PAUSE_MS = 50;

/** `validate` is a creation as dry run; `status` reads the object. */
export function kubernetesOperation(
  client: KubernetesClient,
  dialect: Dialect,
  names: ClusterNames,
): { readonly op: (name: string, input: unknown) => Promise<OperationAnswer>; readonly clean: () => Promise<void> } {
  // The dry run of an object wants its namespace to be there. An old one of the same name could be on its way out.
  let made: Promise<unknown> | undefined;
  const namespace = names.theirs(`validate-${randomBytes(4).toString('hex')}`);
  const asking = inRun({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, names.run);
  const validate = async (resource: Resource): Promise<OperationAnswer> => {
    made ??= client.apply(asking);
    await made;
    const theirs = withNamespace(translateResource(resource, dialect, names), namespace);
    const answer = await client.dryRun(theirs, namespace);
    const missing = lacksDefinition(resource, answer);
    if (missing !== undefined) return { kind: 'unsupported', message: missing };
    const violations = refusals(theirs, answer, names);
    return { kind: 'result', result: { accepted: violations.length === 0, violations } };
  };
  const status = async (input: Readonly<Record<string, unknown>>): Promise<OperationAnswer> => {
    const wanted = resourcesOf(input).find((one) => isAsked(one, input)) ?? {};
    const { apiVersion, kind, metadata } = translateResource(wanted, dialect, names);
    const place = isObject(metadata) ? metadata : {};
    const ref = {
      apiVersion: textOf(apiVersion),
      kind: textOf(kind),
      namespace: names.theirs(textOf(input['namespace'])),
      name: textOf(place['name'] ?? input['name']),
    };
    const until = fairNow() + STATUS_LATE_MS;
    for (;;) {
      const { status: code, body } = await client.read(ref);
      const found = code === 200 && isObject(body) ? body['status'] : undefined;
      const isDue =
        found === undefined ||
        (ref.kind !== 'Gateway' && (saysNothing(found) || isBefore(found, generationOf(body).generation)));
      if (isDue && fairNow() < until) await pause(STATUS_PAUSE_MS);
      else return { kind: 'result', result: { status: inOurNames(found, dialect) ?? null, ...generationOf(body) } };
    }
  };
  const op = async (name: string, input: unknown): Promise<OperationAnswer> => {
    const given = isObject(input) ? input : {};
    try {
      if (name === 'status') return await status(given);
      if (name === 'validate') return await validate(isObject(given['resource']) ? given['resource'] : {});
      return { kind: 'unsupported', message: `op ${name}: an API server has no such operation` };
    } catch (error) {
      return { kind: 'error', message: whyStuck(error), ...stuckIn(names) };
    }
  };
  const clean = async (): Promise<void> => {
    if (made !== undefined) await client.remove(refOf(asking));
  };
  return { op, clean };
}

/** A kind that belongs to others and was not installed says nothing about the implementation; one of its own group is refused by it. */
function lacksDefinition(resource: Resource, { status, body }: ApiResponse): string | undefined {
  const message = isObject(body) ? textOf(body['message']) : '';
  return status === 404 && message.startsWith(NOT_SERVED) && OF_OTHERS.test(refOf(resource).apiVersion)
    ? message
    : undefined;
}

/** A definition may fill in a status before any controller has been there: those of the Gateway API have conditions that are unknown. */
function saysNothing(status: unknown): boolean {
  const { conditions } = isObject(status) ? status : {};
  const all = isList(conditions) ? conditions.filter(isObject) : [];
  return all.length > 0 && all.every((one) => one['status'] === 'Unknown' && one['observedGeneration'] === undefined);
}

/** Whether a status speaks of the object as it was before its last change. Who waits for a Gateway looks at that itself. */
function isBefore(status: unknown, generation: unknown): boolean {
  if (isList(status)) return status.some((item) => isBefore(item, generation));
  if (!isObject(status)) return false;
  const { observedGeneration: seen } = status;
  if (typeof seen === 'number' && typeof generation === 'number' && seen < generation) return true;
  return Object.values(status).some((item) => isBefore(item, generation));
}

function inOurNames(status: unknown, dialect: Dialect): unknown {
  return status === undefined ? undefined : dialect.toCanonical(status, 'status');
}

function generationOf(body: unknown): { readonly generation?: unknown } {
  const { generation } = isObject(body) && isObject(body['metadata']) ? body['metadata'] : {};
  return generation === undefined ? {} : { generation };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function withNamespace(resource: Resource, namespace: string): Resource {
  const { metadata } = resource;
  return isObject(metadata) && metadata['namespace'] !== undefined
    ? { ...resource, metadata: { ...metadata, namespace } }
    : resource;
}

function resourcesOf(input: Readonly<Record<string, unknown>>): readonly Resource[] {
  return Array.isArray(input['resources']) ? input['resources'].filter(isObject) : [];
}

function isAsked(resource: Resource, { kind, name }: Readonly<Record<string, unknown>>): boolean {
  return resource['kind'] === kind && isObject(resource['metadata']) && resource['metadata']['name'] === name;
}

// Like the canary's: a back-off between polls of a foreign program.
async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
