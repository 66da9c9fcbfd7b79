import { createQuiet } from './quiet.ts';
import { Revisions, type RevisionsOptions } from './revisions.ts';
import { StuckFault, type Delivered, type Resource, type Session, type Violation } from './session.ts';
import { validate } from './validate.ts';

/** A change of one case: what each of its namespaces shall hold from now on; an empty list removes the namespace. */
export type NamespaceChange = ReadonlyMap<string, readonly Resource[]>;

/** A change as a step writes it, already rendered. */
export interface ConfigurationChange {
  readonly put: readonly unknown[];
  readonly remove: readonly { readonly kind: string; readonly name: string; readonly namespace?: string | undefined }[];
}

/** `accepted`: live and seen by the canary. `rejected`: refused with reasons. `not-observed`: handed over, never seen. */
export interface ConfigurationOutcome {
  readonly outcome: 'accepted' | 'rejected' | 'not-observed';
  readonly violations: readonly Violation[];
  /** The revision that brought it; set when the canary showed that it is live. */
  readonly revision?: number;
  /** For people; set when not accepted. */
  readonly message?: string;
  /** Nothing shows any more, not even what was live before: it says nothing about this change. */
  readonly lost?: true;
  /** An API server that is not the implementation's own did not take it: it says nothing about the change, nor about the implementation. */
  readonly stuck?: true;
}

/** So often what was live before is handed over and does not show, until it is lost what the implementation does with a change. */
const ASKS = 3;
/** So often it is asked again after that, once for all the changes that came meanwhile; then nothing waits for it any more. */
const LAST_ASKS = 10;

interface Entry {
  readonly change: NamespaceChange;
  readonly done: (outcome: ConfigurationOutcome) => void;
}

/**
 * The configuration one implementation holds. Changes that arrive while a revision is on its way are put together into the
 * next one, so there is never more than one canary revision; a revision that fails is halved until the change that spoils it
 * stands alone, and only that one is refused.
 */
export class Configuration {
  /** Which of the revisions that were handed over answers. */
  readonly revisions: Revisions;
  readonly #session: Session;
  readonly #live = new Map<string, readonly Resource[]>();
  #retired = new Set<string>();
  /** Namespaces in which the implementation may still hold what was refused: a file stays until it is written again. */
  #unsettled = new Set<string>();
  #pending: Entry[] = [];
  #draining = false;
  #revision = 0;
  readonly #quiet = createQuiet();
  /** Set while nothing shows any more. */
  #lost: { readonly outcome: ConfigurationOutcome; asked: number } | undefined;

  constructor(options: RevisionsOptions) {
    this.#session = options.session;
    this.revisions = new Revisions(options);
  }

  /** The number of the last revision that was handed over. */
  get revision(): number {
    return this.#revision;
  }

  /** Asks for a change and waits until it is live or refused. */
  apply(change: NamespaceChange): Promise<ConfigurationOutcome> {
    return new Promise((resolve) => {
      this.#pending.push({ change, done: resolve });
      if (!this.#draining) void this.#drain();
    });
  }

  /** Takes a namespace away with the next revision; nobody waits for it. */
  retire(namespace: string): void {
    this.#retired.add(namespace);
  }

  /** Hands over everything again, to a restarted implementation. */
  async redeliver(): Promise<ConfigurationOutcome> {
    return this.#deliver([...this.#live.keys()]);
  }

  /** Does something while nothing is handed over: whoever reloads may close connections. It must not ask for a change itself. */
  async undisturbed<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#quiet.undisturbed(work);
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    // Changes of the same moment, such as those of a batch, go into one revision.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#pending.length > 0) {
      const entries = this.#pending;
      this.#pending = [];
      await this.#settle(entries).catch((error: unknown) => abandon(entries, error));
    }
    this.#draining = false;
  }

  async #settle(entries: readonly Entry[]): Promise<void> {
    const asBefore = await this.#stillLost();
    if (asBefore !== undefined) {
      for (const entry of entries) entry.done(asBefore);
      return;
    }
    const before = this.#enter(entries);
    const retired = this.#sweep();
    const outcome = await this.#deliver([...before.keys(), ...retired]);
    if (outcome.outcome === 'accepted') {
      for (const entry of entries) entry.done(outcome);
      return;
    }
    this.#restore(before);
    const innocent = await this.#refuseGuilty(entries);
    if (innocent.length < entries.length) {
      if (innocent.length > 0) return this.#settle(innocent);
      await this.#goBack([...before.keys()], outcome);
      return;
    }
    if (entries.length === 1 || this.#session.crashed() !== undefined) {
      // Whether the change is to blame is known when what was live before shows again.
      const lost = await this.#goBack([...before.keys()], outcome);
      for (const entry of entries) entry.done(lost ?? outcome);
      return;
    }
    for (const half of this.#suspects(entries, outcome)) await this.#settle(half);
  }

  /**
   * Hands over what was live before a change that failed. Where that does not show either, however often, whoever never shows a
   * change again must not cost the limit for every one of thousands of changes: the answer is what becomes of all of them.
   */
  async #goBack(
    changed: readonly string[],
    { message = '' }: ConfigurationOutcome,
  ): Promise<ConfigurationOutcome | undefined> {
    let last: ConfigurationOutcome | undefined;
    for (let asked = 0; asked < ASKS; asked++) {
      if (this.#session.crashed() !== undefined) return undefined;
      last = await this.#deliver(changed);
      if (last.outcome !== 'not-observed' || this.#session.crashed() !== undefined) return undefined;
    }
    const stuck = last?.stuck === true;
    const who = stuck ? 'the API server' : 'the implementation';
    const why = `${who} takes no configuration any more, not even what was live before: ${message}`;
    const outcome = { outcome: 'not-observed', violations: [], message: why, lost: true } as const;
    this.#lost = { outcome: { ...outcome, ...(stuck && { stuck }) }, asked: 0 };
    return this.#lost.outcome;
  }

  /** What becomes of a change while nothing shows; undefined when something does, which is asked so often. */
  async #stillLost(): Promise<ConfigurationOutcome | undefined> {
    if (this.#lost !== undefined && this.#lost.asked < LAST_ASKS) {
      this.#lost.asked += 1;
      await this.#deliver([]);
    }
    return this.#lost?.outcome;
  }

  /** Answers entries with a resource the implementation itself calls wrong; the others are left. Saves the halving. */
  async #refuseGuilty(entries: readonly Entry[]): Promise<readonly Entry[]> {
    if (this.#session.crashed() !== undefined) return entries;
    const examined = await Promise.all(
      entries.map(async (entry) => ({ entry, violations: await examine(entry, this.#session) })),
    );
    for (const { entry, violations } of examined) {
      if (violations.length > 0) entry.done(rejection(violations));
    }
    return examined.filter(({ violations }) => violations.length === 0).map(({ entry }) => entry);
  }

  /** Entries the implementation named stand alone, the others stay together; without names the list is cut in two. */
  #suspects(entries: readonly Entry[], outcome: ConfigurationOutcome): readonly (readonly Entry[])[] {
    const named = outcome.violations.map((violation) => violation.namespace);
    const guilty = entries.filter((entry) =>
      [...entry.change.keys()].some((name) => named.some((namespace) => namespace?.startsWith(name))),
    );
    if (guilty.length > 0 && guilty.length < entries.length) {
      return [entries.filter((entry) => !guilty.includes(entry)), ...guilty.map((entry) => [entry])];
    }
    const middle = Math.ceil(entries.length / 2);
    return [entries.slice(0, middle), entries.slice(middle)];
  }

  /** Puts the changes into the live set; the answer is what stood there before. */
  #enter(entries: readonly Entry[]): Map<string, readonly Resource[]> {
    const before = new Map<string, readonly Resource[]>();
    for (const [namespace, resources] of entries.flatMap((entry) => [...entry.change])) {
      if (!before.has(namespace)) before.set(namespace, this.#live.get(namespace) ?? []);
      this.#retired.delete(namespace);
      this.#put(namespace, resources);
    }
    return before;
  }

  #restore(before: ReadonlyMap<string, readonly Resource[]>): void {
    for (const [namespace, resources] of before) this.#put(namespace, resources);
  }

  #sweep(): readonly string[] {
    const gone = [...this.#retired].filter((namespace) => this.#live.has(namespace));
    this.#retired = new Set();
    for (const namespace of gone) this.#live.delete(namespace);
    return gone;
  }

  #put(namespace: string, resources: readonly Resource[]): void {
    if (resources.length === 0) this.#live.delete(namespace);
    else this.#live.set(namespace, resources);
  }

  async #deliver(changed: readonly string[]): Promise<ConfigurationOutcome> {
    return this.#quiet.handOver(async () => this.#handOver(changed));
  }

  async #handOver(changed: readonly string[]): Promise<ConfigurationOutcome> {
    const revision = ++this.#revision;
    const marks = await this.revisions.marks(revision);
    const namespaces = [...new Set([...changed, ...this.#unsettled])];
    this.#unsettled = new Set(namespaces);
    const files = new Map([...this.#live, ...marks]);
    const delivered = await this.#session.deliver({ revision, files, changed: [...namespaces, ...marks.keys()] });
    if (delivered.kind !== 'delivered') return refusal(delivered, revision);
    const observed = await this.revisions.observe(revision, marks);
    if (!observed.isLive) return notObserved(revision, observed.why);
    this.#unsettled = new Set();
    this.#lost = undefined;
    return { outcome: 'accepted', violations: [], ...(observed.shown && { revision }) };
  }
}

/** A fault in here must not leave a case waiting for ever. */
function abandon(entries: readonly Entry[], error: unknown): void {
  const message = `the configuration could not be handed over: ${String(error)}`;
  for (const entry of entries) entry.done({ outcome: 'not-observed', violations: [], message });
}

function refusal(delivered: Exclude<Delivered, { kind: 'delivered' }>, revision: number): ConfigurationOutcome {
  if (delivered.kind === 'rejected') return rejection(delivered.violations);
  return { ...notObserved(revision, delivered.message), ...(delivered.stuck && { stuck: delivered.stuck }) };
}

function notObserved(revision: number, why: string): ConfigurationOutcome {
  return { outcome: 'not-observed', violations: [], message: `config-not-observed rev ${revision}: ${why}` };
}

function rejection(violations: readonly Violation[]): ConfigurationOutcome {
  const [first] = violations;
  const where = [first?.resource, first?.path].filter((part) => part !== undefined).join(' ');
  return {
    outcome: 'rejected',
    violations,
    message: `the configuration was rejected: ${where} ${first?.message ?? 'no reason given'}`,
  };
}

async function examine(entry: Entry, session: Session): Promise<readonly Violation[]> {
  const found = await Promise.all(
    [...entry.change.values()].flat().map(async (resource) => validate(resource, session).catch(whatIsKnown)),
  );
  return found.flat();
}

/** Nothing, where the question did not get through: then the change is judged without. */
function whatIsKnown(error: unknown): readonly Violation[] {
  if (error instanceof StuckFault) return [];
  throw error;
}
