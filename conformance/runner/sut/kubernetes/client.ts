import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isList, isObject } from '../../values/json.ts';
import type { Resource } from '../session.ts';
import type { ApiServer } from './api-server.ts';
import { fairNow, withLimit } from '../time/fair-time.ts';

/** What an API server answered; the body is parsed JSON, or undefined where it is none. */
export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Where one object lies. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The few calls the suite makes of an API server. Each rejects only when no answer came at all. All but `get` are made again where the server
 * could not answer at that moment: each may be made twice.
 */
export interface KubernetesClient {
  /** GET of any path, such as `/version`. */
  readonly get: (path: string) => Promise<ApiResponse>;
  /**
   * Server-side apply, with force: the suite owns what it writes. What stands in `status` goes to the subresource of that name, where
   * the server has one: it takes it nowhere else.
   */
  readonly apply: (resource: Resource) => Promise<ApiResponse>;
  /** Asks whether the resource would be created, without creating it. One that is there already would be taken as well. */
  readonly dryRun: (resource: Resource, namespace: string) => Promise<ApiResponse>;
  readonly read: (ref: ObjectRef) => Promise<ApiResponse>;
  /** Changes an object as the patch says: members that are null go, lists are written as a whole. */
  readonly merge: (ref: ObjectRef, patch: Readonly<Record<string, unknown>>) => Promise<ApiResponse>;
  readonly remove: (ref: ObjectRef) => Promise<ApiResponse>;
  /** Every object of a group and version that fits the selector, `a=b,c`; without kinds that the server does not list for this user. */
  readonly labelled: (apiVersion: string, selector: string, kinds?: readonly string[]) => Promise<readonly Resource[]>;
}

const FIELD_MANAGER = 'conform';
const AS_OWNER = `fieldManager=${FIELD_MANAGER}&force=true&fieldValidation=Strict`;
/** A webhook may take ten seconds and more, and a server of its own has a minute. */
const LIMIT_MS = 30_000;
/** More calls at a time make each of them slower, and a busy server so slow that it seems to be silent. */
const CALLS_AT_ONCE = 16;
/** After these pauses a call is made again that the server could not answer. */
const PAUSES_MS: readonly number[] = [100, 300, 1000, 3000];
/** Too many calls at once, a store or a webhook that is away for a moment, a server that is about to start. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const TOO_MANY = 429;
/** A server that says no to so many calls takes the next one when others have had theirs, and so it is with an object that many write. */
const CROWDED_MS = 60_000;
const MAX_ANSWER = 16 * 1024 * 1024;

/** A client for one server. Names of collections come from its discovery documents, so that any kind it serves will do. */
export function createKubernetesClient(server: ApiServer, pausesMs = PAUSES_MS): KubernetesClient {
  const places = createPlaces(CALLS_AT_ONCE);
  const call = async (method: string, path: string, body?: unknown, type?: string): Promise<ApiResponse> =>
    sendPatiently(async () => places.take(async () => send(server, { method, path, body, type })), pausesMs);
  const groups = new Map<string, Promise<ReadonlyMap<string, Collection>>>();
  const discover = async (apiVersion: string, kind: string): Promise<Collection | undefined> => {
    let found = groups.get(apiVersion);
    if (found === undefined || !(await found).has(kind)) {
      // A kind that was not there may have been installed since.
      found = call('GET', root(apiVersion)).then(collectionsOf);
      groups.set(apiVersion, found);
    }
    return (await found).get(kind);
  };
  const at = async (ref: Omit<ObjectRef, 'name'>, name?: string): Promise<string | undefined> => {
    const collection = await discover(ref.apiVersion, ref.kind);
    if (collection === undefined) return undefined;
    const below = collection.namespaced ? `namespaces/${encodeURIComponent(ref.namespace)}/` : '';
    return `${root(ref.apiVersion)}/${below}${collection.plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
  };
  const patch = async (path: string, resource: Resource): Promise<ApiResponse> =>
    call('PATCH', `${path}?${AS_OWNER}`, resource, 'application/apply-patch+yaml');
  const on = async (method: string, ref: ObjectRef): Promise<ApiResponse> => {
    const path = await at(ref, ref.name);
    return path === undefined ? notServed(ref) : call(method, path);
  };
  return {
    get: async (path) => send(server, { method: 'GET', path, body: undefined, type: undefined }),
    apply: async (resource) => {
      const ref = refOf(resource);
      const path = await at(ref, ref.name);
      if (path === undefined) return notServed(ref);
      const taken = await patch(path, resource);
      const { apiVersion, kind, metadata, status } = resource;
      const hasOwnStatus = status !== undefined && (await discover(ref.apiVersion, ref.kind))?.status === true;
      return isSuccess(taken) && hasOwnStatus ? patch(`${path}/status`, { apiVersion, kind, metadata, status }) : taken;
    },
    dryRun: async (resource, namespace) => {
      const ref = refOf(resource);
      const path = await at({ ...ref, namespace });
      if (path === undefined) return notServed(ref);
      const answer = await call(
        'POST',
        `${path}?dryRun=All&fieldValidation=Strict&fieldManager=${FIELD_MANAGER}`,
        resource,
      );
      return alreadyExists(answer) ? { ...answer, status: 200 } : answer;
    },
    read: async (ref) => on('GET', ref),
    merge: async (ref, merged) => {
      const path = await at(ref, ref.name);
      if (path === undefined) return notServed(ref);
      return call('PATCH', `${path}?fieldManager=${FIELD_MANAGER}`, merged, 'application/merge-patch+json');
    },
    remove: async (ref) => on('DELETE', ref),
    labelled: async (apiVersion, selector, kinds) => {
      const collections = collectionsOf(await call('GET', root(apiVersion)));
      const lists = [...collections].map(async ([kind, { plural, listed }]) => {
        if (!listed || kinds?.includes(kind) === false) return [];
        const path = `${root(apiVersion)}/${plural}?labelSelector=${encodeURIComponent(selector)}`;
        const { status, body } = await call('GET', path);
        const items = status === 200 && isObject(body) && isList(body['items']) ? body['items'] : [];
        // Items of a list do not say what they are.
        return items.filter(isObject).map((item) => ({ ...item, apiVersion, kind }));
      });
      return (await Promise.all(lists)).flat();
    },
  };
}

/** Whether the server did what it was asked. */
export function isSuccess({ status }: ApiResponse): boolean {
  return status >= 200 && status < 300;
}

/** Whether the object is there already. A server says so only of what it would have taken otherwise. */
export function alreadyExists({ status, body }: ApiResponse): boolean {
  return status === 409 && isObject(body) && body['reason'] === 'AlreadyExists';
}

/** Kind, name and place of a resource; what it does not say is empty. */
export function refOf(resource: Resource): ObjectRef {
  const metadata = isObject(resource['metadata']) ? resource['metadata'] : {};
  return {
    apiVersion: textOf(resource['apiVersion']),
    kind: textOf(resource['kind']),
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** How the message of an answer begins when the server has no such kind. */
export const NOT_SERVED = 'the server does not serve kind';

/** What the admission of Pods says before their namespace is complete. */
export const NO_ACCOUNT = 'error looking up service account';

interface Collection {
  readonly plural: string;
  readonly namespaced: boolean;
  /** `status` is a subresource: the object itself does not take it. */
  readonly status: boolean;
  readonly listed: boolean;
}

function root(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function collectionsOf({ status, body }: ApiResponse): ReadonlyMap<string, Collection> {
  const listed = status === 200 && isObject(body) && isList(body['resources']) ? body['resources'] : [];
  const names = new Set(listed.filter(isObject).map(({ name }) => name));
  return new Map(
    listed.filter(isObject).flatMap(({ kind, name, namespaced, verbs }) =>
      // `proxypolicies/status` is a subresource, not a collection.
      typeof name !== 'string' || name.includes('/')
        ? []
        : [
            [
              String(kind),
              {
                plural: name,
                namespaced: namespaced === true,
                status: names.has(`${name}/status`),
                listed: isList(verbs) && verbs.includes('list'),
              },
            ],
          ],
    ),
  );
}

function notServed({ apiVersion, kind }: Omit<ObjectRef, 'name' | 'namespace'>): ApiResponse {
  return { status: 404, body: { message: `${NOT_SERVED} ${kind} of ${apiVersion}` } };
}

interface ApiCall {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON; nothing is sent when absent. */
  readonly body: unknown;
  /** `application/json` when absent. */
  readonly type: string | undefined;
}

async function sendPatiently(ask: () => Promise<ApiResponse>, pausesMs: readonly number[]): Promise<ApiResponse> {
  const until = fairNow() + CROWDED_MS;
  let isCrowded = false;
  for (let times = 0; times < pausesMs.length || (isCrowded && fairNow() < until); times++) {
    const answer = await ask().catch(cutShort);
    if (answer !== undefined && !PASSING.has(answer.status) && !isOvertaken(answer) && !isEarly(answer)) return answer;
    isCrowded = answer !== undefined && (answer.status === TOO_MANY || isOvertaken(answer));
    await new Promise((resolve) => setTimeout(resolve, pausesMs[times] ?? pausesMs.at(-1)));
  }
  return ask();
}

interface Places {
  /** Does its work when fewer than so many others do theirs; first come, first served. */
  readonly take: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

function createPlaces(count: number): Places {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    take: async (work) => {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else free -= 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}

/** Of a connection that broke or was not taken the next one may know more; whoever kept silent for the whole limit is not asked again. */
function cutShort(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))) return undefined;
  throw error;
}

/** Somebody else changed the object in the same moment. With force nothing else of an apply is a conflict. */
function isOvertaken({ status, body }: ApiResponse): boolean {
  return status === 409 && isObject(body) && body['reason'] === 'Conflict';
}

/** The namespace is so new that nobody has made the account yet that Pods in it run as. */
function isEarly({ status, body }: ApiResponse): boolean {
  return status === 403 && isObject(body) && textOf(body['message']).includes(NO_ACCOUNT);
}

async function send(
  server: ApiServer,
  { method, path, body, type = 'application/json' }: ApiCall,
): Promise<ApiResponse> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const url = new URL(path, server.url);
  const options = {
    method,
    headers: {
      accept: 'application/json',
      'user-agent': FIELD_MANAGER,
      ...(text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
      ...server.headers(),
    },
    ...server.tls,
  };
  const exchange = async (signal: AbortSignal): Promise<ApiResponse> =>
    new Promise((resolve, reject) => {
      const call = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { ...options, signal }, (answer) => {
        const parts: Buffer[] = [];
        let size = 0;
        answer.on('data', (part: Buffer) => {
          size += part.length;
          if (size > MAX_ANSWER)
            call.destroy(new Error(`the answer to ${method} ${path} is larger than ${MAX_ANSWER} bytes`));
          else parts.push(part);
        });
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: parseBytes(Buffer.concat(parts)) }));
        answer.once('error', (error) =>
          reject(signal.aborted ? new Error(`half an answer to ${method} ${path}`) : error),
        );
      });
      call.once('error', (error) =>
        reject(signal.aborted ? new Error(`the API server kept silent after ${method} ${path}`) : error),
      );
      call.end(text);
    });
  return withLimit(LIMIT_MS, exchange);
}

function parseBytes(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return value;
  } catch {
    return undefined; // a server that answers with text says nothing the suite could use
  }
}
