import { isList, isObject } from '../../values/json.ts';
import type { Dialect } from '../dialect.ts';
import type { Delivered, Delivery, Resource, Stuck, Violation } from '../session.ts';
import { CANARY_NAMESPACE } from '../canary.ts';
import {
  alreadyExists,
  isSuccess,
  NO_ACCOUNT,
  refOf,
  type ApiResponse,
  type KubernetesClient,
  type ObjectRef,
} from './client.ts';
import { inGatewayClass, type ClassNames } from './gateway-class.ts';
import { leftBehind, over } from './left-behind.ts';
import { fairNow } from '../time/fair-time.ts';
import { inNamespaces, type NamespaceNames } from './namespaces.ts';
import { inRun } from './run-mark.ts';

/** How resources of the suite become resources of a cluster. */
export type ClusterNames = NamespaceNames &
  ClassNames & {
    /** What everything that is made says of itself; undefined in a cluster that nobody else uses. */
    readonly run?: string | undefined;
  };

/**
 * Delivery by server-side apply: a namespace of the cluster for each of the suite's, what is no longer there is deleted. Namespaces stay until the
 * end: one that is deleted takes nothing any more until a controller has finished it off, and a case may come again before that, or where nobody
 * does. What has changed is applied object by object, so a refusal is known by its object. Routes come after what they lead to, so that a controller
 * that sees them one by one need not serve what does not last. The canary comes last, when everything else was taken: it must not show what is not there.
 */
export function kubernetesDelivery(
  client: KubernetesClient,
  dialect: Dialect,
  names: ClusterNames,
): { readonly deliver: (delivery: Delivery) => Promise<Delivered>; readonly clean: () => Promise<void> } {
  const applied = new Map<string, readonly ObjectRef[]>();
  const patience: Patience = {};
  const spaces = createSpaces(client, patience);

  /** What was taken last, by object: that need not be written again. */
  const written = new Map<string, Resource>();
  const write = async (resource: Resource): Promise<readonly Violation[]> => {
    const ref = refOf(resource);
    const before = written.get(keyOf(ref)) ?? {};
    if (JSON.stringify(before) === JSON.stringify(resource)) return [];
    let answer = await enterObject(resource, client, patience);
    // What an object had and has no longer may be there all the same, where somebody else has applied it too.
    const live = isSuccess(answer) || !written.has(keyOf(ref)) ? answer.body : (await client.read(ref)).body;
    const patch = leftBehind(before, resource, live);
    if (patch !== undefined && isSuccess(answer)) answer = await client.merge(ref, patch);
    // Together with what is left of the old one it may be refused.
    else if (patch !== undefined && isSuccess(await client.merge(ref, over(resource, patch))))
      answer = await enterObject(resource, client, patience);
    if (isSuccess(answer)) written.set(keyOf(ref), resource);
    else written.delete(keyOf(ref));
    return refusals(resource, answer, names);
  };

  const change = async (
    namespace: string,
    resources: readonly Resource[] | undefined,
  ): Promise<readonly Violation[]> => {
    const all = (resources ?? []).map((resource) => inRun(deliveredResource(resource, dialect, names), names.run));
    const wanted = all.filter((one) => !isSpace(one)).toSorted((one, other) => rank(one) - rank(other));
    const refs = wanted.map(refOf);
    const keep = new Set(refs.map(keyOf));
    const before = applied.get(namespace) ?? [];
    const gone = before.toReversed().filter((ref) => !keep.has(keyOf(ref)));
    // Should this end half-way, all of them may be there.
    if (refs.length > 0) applied.set(namespace, [...refs, ...before.filter((ref) => !keep.has(keyOf(ref)))]);
    // They have to be there for what lies in them, as the case writes them if it does: labels must not come and go.
    const spacesOfCase = new Map(all.filter(isSpace).map((space) => [refOf(space).name, space] as const));
    const inUse = wanted.length === 0 ? [] : [names.theirs(namespace), ...refs.map((ref) => ref.namespace)];
    const answers: (readonly Violation[])[] = await Promise.all(
      [...new Set([...inUse, ...spacesOfCase.keys()])]
        .filter((name) => name !== '')
        .map((name) => spacesOfCase.get(name) ?? inRun(namespaceObject(name), names.run))
        .map(async (space) => refusals(space, await spaces.make(space), names)),
    );
    for (const resource of wanted) answers.push(await write(resource));
    for (const ref of gone) written.delete(keyOf(ref));
    await removeAll(gone, client, patience);
    if (refs.length === 0) applied.delete(namespace);
    else applied.set(namespace, refs);
    return answers.flat();
  };
  /** Something went wrong, perhaps since somebody has deleted what was there: all of it is written again. */
  const forget = (): void => {
    spaces.forget();
    written.clear();
  };
  const changeAll = async (
    namespaces: readonly string[],
    { files }: Pick<Delivery, 'files'>,
  ): Promise<readonly Violation[]> =>
    allOf(namespaces.map(async (namespace) => change(namespace, files.get(namespace))));
  return {
    deliver: async (delivery) => {
      try {
        const found = await changeAll(
          delivery.changed.filter((namespace) => !isCanary(namespace)),
          delivery,
        );
        const violations = found.length > 0 ? found : await changeAll(delivery.changed.filter(isCanary), delivery);
        if (violations.length === 0) return { kind: 'delivered' };
        forget();
        return { kind: 'rejected', violations };
      } catch (error) {
        forget();
        return { kind: 'failed', message: whyStuck(error), ...stuckIn(names) };
      }
    },
    clean: async () => {
      await changeAll([...applied.keys()], { files: new Map() });
      await spaces.remove();
    },
  };
}

/** What is begun for one namespace must not go on beside the next delivery: the first failure is told when all have ended. */
async function allOf(changes: readonly Promise<readonly Violation[]>[]): Promise<readonly Violation[]> {
  await Promise.allSettled(changes);
  return (await Promise.all(changes)).flat();
}

/** Whose failure it is when the server does not do what it is asked: one that others use too is not the implementation. */
export function stuckIn({ run }: ClusterNames): { readonly stuck?: Stuck } {
  return run === undefined ? {} : { stuck: true };
}

/** What went wrong, by who it is: a connection that is refused does not say it. */
export function whyStuck(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return error instanceof Error && 'code' in error ? `the API server cannot be reached: ${why}` : why;
}

/** Gateways and then their routes follow everything else; what is alike stays in the order of the case. */
function rank({ apiVersion, kind }: Resource): number {
  if (!String(apiVersion).startsWith('gateway.networking.k8s.io/') || kind === 'ReferenceGrant') return 0;
  return String(kind).endsWith('Route') ? 2 : 1;
}

function isCanary(namespace: string): boolean {
  return namespace === CANARY_NAMESPACE;
}

/** A resource as the cluster gets it: in the dialect, with the prefix on every namespace and the class of the cluster. */
export function translateResource(resource: Resource, dialect: Dialect, names: ClusterNames): Resource {
  const renamed = inNamespaces(dialect.toImplementation(resource), names.theirs);
  return isObject(renamed) ? inGatewayClass(renamed, names) : {};
}

/**
 * The same as it is applied. A server turns `stringData` of a Secret into `data`, and a later apply without a key takes it out of the former only:
 * what was taken away would stay. What is no text is for the server to refuse.
 */
function deliveredResource(resource: Resource, dialect: Dialect, names: ClusterNames): Resource {
  const translated = translateResource(resource, dialect, names);
  const { stringData, ...rest } = translated;
  if (rest['kind'] === 'Pod' && isObject(rest['spec']))
    return { ...rest, spec: { schedulerName: NOBODY, ...rest['spec'] } };
  if (rest['kind'] !== 'Secret' || !isObject(stringData)) return translated;
  if (Object.values(stringData).some((text) => typeof text !== 'string')) return translated;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  return { ...rest, data: { ...(isObject(rest['data']) ? rest['data'] : {}), ...Object.fromEntries(encoded) } };
}

/** Nothing of a Pod shall run: where somebody gave it a node, that would write over the status that the case gives it. */
const NOBODY = 'nobody-proxy-conformance';

/** What a refusal says about an object; empty when the object was taken. Other failures reject. */
export function refusals(resource: Resource, answer: ApiResponse, names: NamespaceNames): readonly Violation[] {
  if (isSuccess(answer)) return [];
  const ref = refOf(resource);
  const { kind, namespace, name } = ref;
  if (!isRefusal(answer)) throw new Error(whyNot('', ref, answer));
  const place = { resource: `${kind} ${names.ours(namespace)}/${name}`, namespace: names.ours(namespace) };
  const causes = causesOf(answer.body);
  if (causes.length === 0) return [{ ...place, message: messageOf(answer.body) }];
  return causes.map((cause) => ({
    ...place,
    ...(typeof cause['field'] === 'string' ? { path: cause['field'] } : {}),
    message: typeof cause['message'] === 'string' ? cause['message'] : '',
  }));
}

function whyNot(what: string, { kind, namespace, name }: ObjectRef, { status, body }: ApiResponse): string {
  return `the API server answered ${status} for ${what}${kind} ${namespace}/${name}: ${messageOf(body)}`;
}

/** The client may not, the server cannot now, or the place is not there: none of that says anything about the object. A webhook says no with any 4xx. */
function isRefusal({ status, body }: ApiResponse): boolean {
  if (status < 400 || status > 499 || OF_CLIENT.has(status)) return false;
  if (isObject(body) && body['reason'] === 'Conflict') return false;
  const message = messageOf(body);
  return !OF_PLACE.test(message) && !message.includes(NO_ACCOUNT) && !causesOf(body).some(isOfLeavingNamespace);
}

/** Not known to the server, too slow for it, too many at once. */
const OF_CLIENT: ReadonlySet<number> = new Set([401, 408, 429]);
/** What authorization, quotas and a namespace that is gone say. */
const OF_PLACE = /is forbidden: (User "[^"]*" cannot|exceeded quota|failed quota)|^namespaces "[^"]*" not found/;

function causesOf(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  const details = isObject(body) ? body['details'] : undefined;
  const causes = isObject(details) ? details['causes'] : undefined;
  return isList(causes) ? causes.filter(isObject) : [];
}

/** The namespace is on its way out: that says nothing about the object. */
function isOfLeavingNamespace({ reason }: Readonly<Record<string, unknown>>): boolean {
  return reason === 'NamespaceTerminating';
}

function messageOf(body: unknown): string {
  return isObject(body) && typeof body['message'] === 'string' ? body['message'] : 'no reason given';
}

/** The namespaces of a session. */
interface Spaces {
  /** Applies one unless it is there as it shall be: cases may share one, and a server that is asked twice at the same moment refuses one of them. */
  readonly make: (space: Resource) => Promise<ApiResponse>;
  /** Something went wrong, perhaps since somebody has deleted one: they are made again. */
  readonly forget: () => void;
  /** Deletes all that were made. */
  readonly remove: () => Promise<void>;
}

function createSpaces(client: KubernetesClient, patience: Patience): Spaces {
  const made = new Map<string, { readonly text: string; readonly answer: Promise<ApiResponse> }>();
  const left = new Map<string, ObjectRef>();
  return {
    make: async (space) => {
      const ref = refOf(space);
      const text = JSON.stringify(space);
      const known = made.get(ref.name);
      const answer = known?.text === text ? known.answer : enter(space, client, patience);
      made.set(ref.name, { text, answer });
      left.set(ref.name, ref);
      return answer;
    },
    forget: () => made.clear(),
    remove: async () => {
      made.clear();
      await Promise.all([...left.values()].map(async (ref) => client.remove(ref)));
      left.clear();
    },
  };
}

/** Until when a session waits for what leaves; unset while everything that it waited for has gone. */
interface Patience {
  until?: number;
}

/** Deletes in that order and waits for what has finalizers: while it is on its way out, whoever serves it may do so rightly. */
async function removeAll(gone: readonly ObjectRef[], client: KubernetesClient, patience: Patience): Promise<void> {
  const leaving: ObjectRef[] = [];
  for (const ref of gone) {
    const answer = await client.remove(ref);
    if (isLeaving(answer)) leaving.push(ref);
    else if (!isSuccess(answer) && answer.status !== 404) throw new Error(whyNot('the deletion of ', ref, answer));
  }
  if (leaving.length === 0) return;
  const left = await Promise.all(leaving.map(async (ref) => hasLeft(ref, client, patience)));
  if (left.every(Boolean)) delete patience.until;
}

const LEAVING_MS = 30_000;
const LEAVING_PAUSE_MS = 100;

/** What was deleted may be on its way out, with finalizers of a controller: it takes nothing that lasts, and is made anew when it has gone. */
async function enter(resource: Resource, client: KubernetesClient, patience: Patience): Promise<ApiResponse> {
  const answer = await applyAnyway(client, resource);
  if (!isLeaving(answer)) return answer;
  await hasLeft(refOf(resource), client, patience);
  const again = await applyAnyway(client, resource);
  if (!isLeaving(again)) delete patience.until;
  return again;
}

/** Waits for what leaves. Many do at the same time, and a server without controllers lets none of them go. */
async function hasLeft(ref: ObjectRef, client: KubernetesClient, patience: Patience): Promise<boolean> {
  const until = (patience.until ??= fairNow() + LEAVING_MS);
  for (;;) {
    if (!isLeaving(await client.read(ref))) return true;
    if (fairNow() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, LEAVING_PAUSE_MS));
  }
}

/** As `enter`, but what does not go is a failure: whatever was applied to it goes with it. */
async function enterObject(resource: Resource, client: KubernetesClient, patience: Patience): Promise<ApiResponse> {
  const answer = await enter(resource, client, patience);
  const { kind, namespace, name } = refOf(resource);
  if (!isLeaving(answer)) return answer;
  throw new Error(
    `${kind} ${namespace}/${name} was deleted and does not go: who put a finalizer on it has not taken it off`,
  );
}

function isLeaving({ status, body }: ApiResponse): boolean {
  const metadata = status < 300 && isObject(body) && isObject(body['metadata']) ? body['metadata'] : {};
  return metadata['deletionTimestamp'] !== undefined;
}

/** An object that somebody else created in the same moment is there now, and can be applied to. */
async function applyAnyway(client: KubernetesClient, resource: Resource): Promise<ApiResponse> {
  const answer = await client.apply(resource);
  return alreadyExists(answer) ? client.apply(resource) : answer;
}

function isSpace({ apiVersion, kind }: Resource): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

function namespaceObject(name: string): Resource {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function keyOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace}/${name}`;
}
