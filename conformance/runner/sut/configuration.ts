import { z } from 'zod';
import { UNLIMITED_MS, type Attendant } from './attendant.ts';
import {
  askRevisions,
  awaitOlderGone,
  awaitRevision,
  CANARY_NAMESPACE,
  type Canary,
  type Polling,
  type Readiness,
} from './canary.ts';
import { gatewayAddress } from './gateway-address.ts';
import { StuckFault, type Delivered, type Endpoint, type Resource, type Session, type Violation } from './session.ts';
import { createQuiet } from './quiet.ts';
import { withinFair } from './time/fair-time.ts';

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
  /** The revision that brought it; set when accepted. */
  readonly revision?: number;
  /** For people; set when not accepted. */
  readonly message?: string;
  /** Nothing shows any more, not even what was live before: it says nothing about this change. */
  readonly lost?: true;
  /** An API server that is not the implementation's own did not take it: it says nothing about the change, nor about the implementation. */
  readonly stuck?: true;
}

const CHANGE_LIMIT_MS = 3000;
/** So often what was live before is handed over and does not show, until it is lost what the implementation does with a change. */
const ASKS = 3;
/** So often it is asked again after that, once for all the changes that came meanwhile; then nothing waits for it any more. */
const LAST_ASKS = 10;

interface Entry {
  readonly change: NamespaceChange;
  readonly done: (outcome: ConfigurationOutcome) => void;
}

export interface ConfigurationOptions {
  readonly session: Session;
  /** Absent when the manifest says that the implementation cannot route a canary. */
  readonly canary?: Canary | undefined;
  readonly withinMs: number;
  /** How long a change may take to show, once something has; 3 s where nothing else is said. */
  readonly changeWithinMs?: number;
  /** Who says what is live where the canary does not; then there is no limit. */
  readonly attendant?: Attendant | undefined;
  readonly readiness?: Readiness;
  /**
   * A control plane hears of each kind by itself, and of Gateways one after the other: the canary may show a revision of which something else is
   * still on its way, so a red step soon after a change is asked again.
   */
  readonly arrivesInParts?: boolean;
  /** Every Gateway has an address of its own, which its status tells; so has that of the canary. */
  readonly addressed?: boolean;
}

const READINESS: Readiness = { inARow: 3, settleMs: 0 };
/** Questions that find out whether an older revision is still at work. */
const WITNESSES = 8;
const SECOND_LOOK_MS = 50;
/** So much later than others may a part of a change arrive: a watch that lags, or one that ended and is begun again. */
export const PARTS_MS = 4000;
/** So many looks there are, and each is longer than the one before by so much where parts arrive by themselves. */
const LOOKS = 4;
const PARTS_AFTER = 5;
/** How long after a change an implementation whose revisions overlap may still answer from the one before. */
const OVERLAP_MS = 1000;

/**
 * The configuration one implementation holds. Changes that arrive while a revision is on its way are put together into the
 * next one, so there is never more than one canary revision; a revision that fails is halved until the change that spoils it
 * stands alone, and only that one is refused.
 */
export class Configuration {
  readonly #session: Session;
  readonly #canary: Canary | undefined;
  readonly #withinMs: number;
  readonly #changeWithinMs: number;
  readonly #attendant: Attendant | undefined;
  readonly #readiness: Readiness;
  readonly #addressed: boolean;
  /** Where the canary is asked. */
  #data: Endpoint;
  readonly #live = new Map<string, readonly Resource[]>();
  #retired = new Set<string>();
  /** Namespaces in which the implementation may still hold what was refused: a file stays until it is written again. */
  #unsettled = new Set<string>();
  #pending: Entry[] = [];
  #draining = false;
  #revision = 0;
  /** When each revision was seen, in performance.now(). */
  readonly #seenAt = new Map<number, number>();
  readonly #quiet = createQuiet();
  #overlaps = false;
  readonly #arrivesInParts: boolean;
  /** Set while nothing shows any more. */
  #lost: { readonly outcome: ConfigurationOutcome; asked: number } | undefined;

  constructor(options: ConfigurationOptions) {
    this.#session = options.session;
    this.#canary = options.canary;
    this.#withinMs = options.attendant === undefined ? options.withinMs : UNLIMITED_MS;
    this.#changeWithinMs = options.changeWithinMs ?? CHANGE_LIMIT_MS;
    this.#attendant = options.attendant;
    this.#readiness = options.readiness ?? READINESS;
    this.#addressed = options.addressed ?? false;
    this.#arrivesInParts = options.arrivesInParts ?? false;
    this.#overlaps = this.#arrivesInParts;
    this.#data = options.session.endpoints.data;
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

  /** The revisions that answer at this moment, several times asked; empty where no canary can tell. */
  async answering(): Promise<readonly (number | undefined)[]> {
    return this.#canary === undefined ? [] : askRevisions(WITNESSES, this.#polling(this.#canary, CHANGE_LIMIT_MS));
  }

  /** One request the whole way to the canary and back, whatever comes of it; at once where there is no canary. */
  async beat(): Promise<void> {
    if (this.#canary !== undefined) await askRevisions(1, this.#polling(this.#canary, CHANGE_LIMIT_MS));
  }

  /**
   * Whether an answer of that moment could come from before the revision although nothing older answers by now: true only for an
   * implementation that was caught with two revisions at once, soon after the change.
   */
  couldBeOlder(revision: number, at: number): boolean {
    const laterMs = this.#arrivesInParts ? Math.min(this.#withinMs, PARTS_MS) : OVERLAP_MS;
    return this.#overlaps && at - (this.#seenAt.get(revision) ?? 0) < laterMs;
  }

  /**
   * Waits until nothing older than a revision that was seen before answers any more; false when something still does. The first look
   * was too short, so this one is longer, and the longer the more often it was in vain.
   */
  async awaitOlderGone(revision: number, times: number): Promise<boolean> {
    if (this.#canary === undefined) return true;
    return awaitOlderGone(revision, {
      ...this.#polling(this.#canary, this.#withinMs),
      inARow: Math.max(this.#readiness.inARow, WITNESSES),
      settleMs: Math.max(this.#readiness.settleMs, this.#secondLookMs(times)),
    });
  }

  /** Where parts arrive by themselves the last look comes when the latest of them is there. */
  #secondLookMs(times: number): number {
    const first = SECOND_LOOK_MS * 2 ** (times - 1);
    if (!this.#arrivesInParts) return first;
    return Math.max(first, Math.min(this.#withinMs, PARTS_MS) * PARTS_AFTER ** (times - LOOKS));
  }

  /** Does something while nothing is handed over: whoever reloads may close connections. It must not ask for a change itself. */
  async undisturbed<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#quiet.undisturbed(work);
  }

  #polling(canary: Canary, withinMs: number): Polling {
    const gone = (): boolean => this.#session.crashed() !== undefined || this.#attendant?.left() === true;
    const overlaps = (): void => {
      this.#overlaps = true;
    };
    return { ...this.#readiness, data: this.#data, token: canary.token, host: canary.host, withinMs, gone, overlaps };
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
    const files = new Map(this.#live);
    const withCanary = [...new Set([...changed, ...this.#unsettled])];
    this.#unsettled = new Set(withCanary);
    if (this.#canary !== undefined) {
      files.set(CANARY_NAMESPACE, await this.#canary.resources(revision, this.#session.endpoints.data));
      withCanary.push(CANARY_NAMESPACE);
    }
    const delivered = await this.#session.deliver({ revision, files, changed: withCanary });
    if (delivered.kind !== 'delivered') return refusal(delivered, revision);
    const outcome = await this.#observe(revision, files.get(CANARY_NAMESPACE) ?? []);
    if (outcome.outcome !== 'accepted') return outcome;
    this.#unsettled = new Set();
    this.#lost = undefined;
    return outcome;
  }

  async #observe(revision: number, ofCanary: readonly Resource[]): Promise<ConfigurationOutcome> {
    const accepted = { outcome: 'accepted', violations: [], revision } as const;
    if (this.#attendant !== undefined) return this.#attend(revision, ofCanary, this.#attendant);
    if (this.#canary === undefined) return accepted;
    // Starting may take long, a change may not: halving a spoiled revision must not cost the start-up limit every time.
    const withinMs =
      this.#seenAt.size > 0
        ? Math.min(this.#withinMs, this.#changeWithinMs + this.#readiness.settleMs)
        : this.#withinMs;
    let came = 'nothing';
    const instead = (what: string): void => {
      came = what;
    };
    const isPlaced = await this.#findCanary(ofCanary, withinMs, instead);
    const seen = isPlaced && (await awaitRevision(revision, { ...this.#polling(this.#canary, withinMs), instead }));
    if (seen) {
      this.#seenAt.set(revision, performance.now());
      return accepted;
    }
    const crashed = await this.#session.gone(0);
    const silence = isPlaced ? 'did not answer' : 'has no address: its Gateway was not Programmed';
    const why =
      crashed === undefined
        ? `the canary ${silence} within ${withinMs} ms, ${isPlaced ? 'last came' : 'its status'}: ${came}`
        : crashed;
    return { outcome: 'not-observed', violations: [], message: `config-not-observed rev ${revision}: ${why}` };
  }

  /** Waits until the canary shows the revision or the attendant takes it for live: then nobody knows which revision answers. */
  async #attend(
    revision: number,
    ofCanary: readonly Resource[],
    { say, left }: Attendant,
  ): Promise<ConfigurationOutcome> {
    const accepted = { outcome: 'accepted', violations: [] } as const;
    if (left()) return accepted;
    const seen = await this.#awaitWord(revision, ofCanary, say);
    say(`revision ${revision}: ${seen ? 'it answers' : 'taken for live'}`);
    if (!seen) return accepted;
    this.#seenAt.set(revision, performance.now());
    return { ...accepted, revision };
  }

  /** False when it was the attendant who ended the wait. */
  async #awaitWord(revision: number, ofCanary: readonly Resource[], say: Attendant['say']): Promise<boolean> {
    if (this.#canary === undefined) {
      say(`revision ${revision}: press Enter when it is live`);
      return withinFair([], UNLIMITED_MS);
    }
    const { host, port } = this.#data;
    const question = `curl -H 'Host: ${this.#canary.host}' http://${host}:${port}/rev-${revision}`;
    say(`revision ${revision}: waiting until it answers (${question}); Enter goes on without`);
    const isPlaced = await this.#findCanary(ofCanary, UNLIMITED_MS);
    return isPlaced && (await awaitRevision(revision, this.#polling(this.#canary, UNLIMITED_MS)));
  }

  /** Where the canary's Gateway has an address of its own, that is where the canary is asked from now on. */
  async #findCanary(
    resources: readonly Resource[],
    withinMs: number,
    instead?: (what: string) => void,
  ): Promise<boolean> {
    const gateway = resources.find(({ kind }) => kind === 'Gateway');
    if (!this.#addressed || gateway === undefined) return true;
    const question = { gateway, resources, caseId: 'canary', withinMs, ...(instead && { instead }) };
    const host = await gatewayAddress(this.#session, question);
    if (host !== undefined) this.#data = { ...this.#data, host };
    return host !== undefined;
  }
}

/** A fault in here must not leave a case waiting for ever. */
function abandon(entries: readonly Entry[], error: unknown): void {
  const message = `the configuration could not be handed over: ${String(error)}`;
  for (const entry of entries) entry.done({ outcome: 'not-observed', violations: [], message });
}

function refusal(delivered: Exclude<Delivered, { kind: 'delivered' }>, revision: number): ConfigurationOutcome {
  if (delivered.kind === 'failed') {
    return {
      outcome: 'not-observed',
      violations: [],
      message: `config-not-observed rev ${revision}: ${delivered.message}`,
      ...(delivered.stuck && { stuck: delivered.stuck }),
    };
  }
  return rejection(delivered.violations);
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

/**
 * What the implementation's `validate` says is wrong with a resource; empty when it accepts it or has no such operation. Throws StuckFault where an
 * API server that is not its own does not answer.
 */
export async function validate(
  resource: unknown,
  session: Session,
  caseId = 'configuration',
): Promise<readonly Violation[]> {
  if (!session.ops.includes('validate')) return [];
  const answer = await session.op('validate', { resource }, caseId);
  if (answer.kind === 'error' && answer.stuck) throw new StuckFault(answer.message);
  const parsed = answer.kind === 'result' ? validationSchema.safeParse(answer.result) : undefined;
  if (parsed?.success !== true || parsed.data.accepted) return [];
  const named = parsed.data.violations.map((violation) => ({ resource: nameOf(resource), ...violation }));
  return named.length > 0 ? named : [{ resource: nameOf(resource), message: 'refused without a reason' }];
}

const validationSchema = z.looseObject({
  accepted: z.boolean(),
  violations: z.array(z.looseObject({ path: z.string().optional(), message: z.string() })).default([]),
});

function nameOf(resource: unknown): string {
  const parsed = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) }).safeParse(resource);
  return parsed.success ? `${parsed.data.kind} ${parsed.data.metadata.name}` : 'resource';
}
