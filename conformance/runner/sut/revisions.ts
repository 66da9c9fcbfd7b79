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
import type { Endpoint, Resource, Session } from './session.ts';
import { withinFair } from './time/fair-time.ts';

export interface RevisionsOptions {
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

/** What became of a revision that was handed over. `shown` is false where somebody took its word for it: then nobody knows which one answers. */
export type Observed =
  | { readonly isLive: true; readonly shown: boolean }
  | { readonly isLive: false; readonly why: string };

const CHANGE_LIMIT_MS = 3000;
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

/** Which revision of the configuration an implementation answers from, as far as its canary, or the person beside it, can tell. */
export class Revisions {
  readonly #session: Session;
  readonly #canary: Canary | undefined;
  readonly #withinMs: number;
  readonly #changeWithinMs: number;
  readonly #attendant: Attendant | undefined;
  readonly #readiness: Readiness;
  readonly #addressed: boolean;
  readonly #arrivesInParts: boolean;
  /** Where the canary is asked. */
  #data: Endpoint;
  #overlaps: boolean;
  /** When each revision was seen, in performance.now(). */
  readonly #seenAt = new Map<number, number>();

  constructor(options: RevisionsOptions) {
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

  /** How long what was handed over may take to show after the first time: halving a spoiled revision must not cost the start-up limit every time. */
  get changeLimitMs(): number {
    return Math.min(this.#withinMs, this.#changeWithinMs + this.#readiness.settleMs);
  }

  /** What makes a revision visible, under the namespace it goes into; nothing where no canary can be routed. */
  async marks(revision: number): Promise<ReadonlyMap<string, readonly Resource[]>> {
    if (this.#canary === undefined) return new Map();
    return new Map([[CANARY_NAMESPACE, await this.#canary.resources(revision, this.#session.endpoints.data)]]);
  }

  /** Waits until a revision that was handed over with these marks is in force, as long as one may take. */
  async observe(revision: number, marks: ReadonlyMap<string, readonly Resource[]>): Promise<Observed> {
    const ofCanary = marks.get(CANARY_NAMESPACE) ?? [];
    const observed =
      this.#attendant === undefined
        ? await this.#watch(revision, ofCanary)
        : await this.#attend(revision, ofCanary, this.#attendant);
    if (observed.isLive && observed.shown) this.#seenAt.set(revision, performance.now());
    return observed;
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

  #polling(canary: Canary, withinMs: number): Polling {
    const gone = (): boolean => this.#session.crashed() !== undefined || this.#attendant?.left() === true;
    const overlaps = (): void => {
      this.#overlaps = true;
    };
    return { ...this.#readiness, data: this.#data, token: canary.token, host: canary.host, withinMs, gone, overlaps };
  }

  async #watch(revision: number, ofCanary: readonly Resource[]): Promise<Observed> {
    if (this.#canary === undefined) return { isLive: true, shown: false };
    // Starting may take long, a change may not.
    const withinMs = this.#seenAt.size > 0 ? this.changeLimitMs : this.#withinMs;
    let came = 'nothing';
    const instead = (what: string): void => {
      came = what;
    };
    const isPlaced = await this.#findCanary(ofCanary, withinMs, instead);
    const seen = isPlaced && (await awaitRevision(revision, { ...this.#polling(this.#canary, withinMs), instead }));
    if (seen) return { isLive: true, shown: true };
    const crashed = await this.#session.gone(0);
    const silence = isPlaced ? 'did not answer' : 'has no address: its Gateway was not Programmed';
    const waited = `the canary ${silence} within ${withinMs} ms, ${isPlaced ? 'last came' : 'its status'}: ${came}`;
    return { isLive: false, why: crashed ?? waited };
  }

  /** Waits until the canary shows the revision or the attendant takes it for live. */
  async #attend(revision: number, ofCanary: readonly Resource[], { say, left }: Attendant): Promise<Observed> {
    if (left()) return { isLive: true, shown: false };
    const shown = await this.#awaitWord(revision, ofCanary, say);
    say(`revision ${revision}: ${shown ? 'it answers' : 'taken for live'}`);
    return { isLive: true, shown };
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
