import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import type { Json, Verdict } from '../verdicts.ts';

/** What an API server answered; `body` is its object or its Status. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** A kind as the server serves it. */
interface ServedKind {
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Every watch holds one. */
const CONNECTIONS = 48;

/** Talks to one API server. */
export class ApiClient {
  readonly #base: string;
  readonly #token: string;
  readonly #agent: Agent;
  readonly #served = new Map<string, Promise<ReadonlyMap<string, ServedKind>>>();

  constructor(base: string, token: string, ca: string) {
    this.#base = base;
    this.#token = token;
    this.#agent = new Agent({ connections: CONNECTIONS, connect: { ca } });
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  async isReady(): Promise<boolean> {
    try {
      const { statusCode, body } = await request(`${this.#base}/readyz`, {
        dispatcher: this.#agent,
        headers: { authorization: `Bearer ${this.#token}` },
      });
      await body.dump();
      return statusCode === 200;
    } catch {
      // It does not listen yet.
      return false;
    }
  }

  /** A patch is a JSON merge patch. */
  async send(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, object?: unknown): Promise<Answer> {
    const { statusCode, body } = await request(`${this.#base}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(object !== undefined && { body: JSON.stringify(object) }),
    });
    const text = await body.text();
    // Of a group that it does not know, the server says so in plain text.
    return { status: statusCode, body: text.startsWith('{') ? (JSON.parse(text) as Json) : { message: text } };
  }

  /** The events of a watch, until the server ends it. */
  async *watch(path: string): AsyncGenerator<{ readonly type: string; readonly object: Json }> {
    const { body } = await request(`${this.#base}${path}`, {
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#token}` },
      bodyTimeout: 0,
    });
    for await (const line of createInterface({ input: body }))
      yield JSON.parse(line) as { readonly type: string; readonly object: Json };
  }

  /** What the server would say to the creation of an object by a client that asks for strict validation, as `kubectl` does. */
  async dryRun(resource: Json): Promise<Verdict> {
    const path = await this.pathOf(resource);
    if (path === undefined) return { accepted: false, errors: ['no such kind in this version'] };
    return verdictOn(await this.send('POST', `${path}?dryRun=All&fieldValidation=Strict`, resource));
  }

  /** Where objects of its kind are created; undefined when the server serves no such kind. */
  async pathOf(resource: Json): Promise<string | undefined> {
    const { apiVersion, kind } = resource;
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !/^[\w.-]+(\/[\w-]+)?$/.test(apiVersion))
      return undefined;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = this.#served.get(root) ?? this.#kindsOf(root);
    this.#served.set(root, known);
    const served = (await known).get(kind);
    if (served === undefined) return undefined;
    return served.namespaced
      ? `${root}/namespaces/${namespaceOf(resource)}/${served.plural}`
      : `${root}/${served.plural}`;
  }

  async #kindsOf(root: string): Promise<ReadonlyMap<string, ServedKind>> {
    const { status, body } = await this.send('GET', root);
    const resources = status === 200 && Array.isArray(body['resources']) ? (body['resources'] as readonly Json[]) : [];
    return new Map(
      resources
        .filter(({ name }) => !String(name).includes('/'))
        .map(({ kind, name, namespaced }) => [String(kind), { plural: String(name), namespaced: namespaced === true }]),
    );
  }
}

/** Throws for an answer that is neither yes nor no. */
export function verdictOn({ status, body }: Answer): Verdict {
  if (status === 200 || status === 201) return { accepted: true, errors: [] };
  if (status === 400 || status === 403 || status === 422) return { accepted: false, errors: [String(body['message'])] };
  throw new Error(`the API server answered ${status}: ${JSON.stringify(body)}`);
}

/** That of the object; one that cannot stand in a path is left to the server to refuse in the object. */
function namespaceOf({ metadata }: Json): string {
  const namespace = typeof metadata === 'object' && metadata !== null && 'namespace' in metadata && metadata.namespace;
  return typeof namespace === 'string' && /^[a-z0-9-]+$/.test(namespace) ? namespace : 'default';
}
