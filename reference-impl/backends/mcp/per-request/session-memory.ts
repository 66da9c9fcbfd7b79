import type { Cancellation } from '../../../base/cancellation.ts';
import { asObject, type Json } from '../../json.ts';
import type { Id, Outcome } from '../message.ts';

/**
 * What is known of a session for the sake of its servers without sessions, which know nothing of it themselves. It is gone with the process.
 * docs/decisions/mcp-per-request.md
 */
export class SessionMemory {
  /** What the client can be asked: those members of its capabilities. */
  readonly capabilities: Json;
  /** The level of messages that the client asked for last. */
  logLevel: string | undefined;
  readonly #underWay = new Map<string, Cancellation>();
  readonly #questions = new Map<string, (outcome: Outcome) => void>();
  readonly #resources = new Map<string, ReadonlySet<string>>();
  readonly #streams = new Map<string, Set<() => Promise<void>>>();

  constructor(capabilities: Json = {}) {
    this.capabilities = capabilities;
  }

  /** A request that a target has not answered yet; `cancellation` ends it. The returned function forgets it. */
  begin(target: string, id: Id, cancellation: Cancellation): () => void {
    const key = keyOf(target, id);
    this.#underWay.set(key, cancellation);
    return () => {
      if (this.#underWay.get(key) === cancellation) this.#underWay.delete(key);
    };
  }

  underWay(target: string, id: Id): Cancellation | undefined {
    return this.#underWay.get(keyOf(target, id));
  }

  /** `take` gets what the client answers to the question of this name. The returned function forgets it. */
  ask(name: string, take: (outcome: Outcome) => void): () => void {
    this.#questions.set(name, take);
    return () => {
      this.#questions.delete(name);
    };
  }

  /** What the client says to a question; an answer that nobody waits for is lost. */
  answer(name: Id | undefined, outcome: Outcome): void {
    if (typeof name === 'string') this.#questions.get(name)?.(outcome);
  }

  /** Resources of a target, under its own names, of which the client wants to hear. */
  resourcesOf(target: string): readonly string[] {
    return [...(this.#resources.get(target) ?? [])];
  }

  /** Resolves when the streams that are open listen to these; false when they are too many. */
  async listenTo(target: string, uris: readonly string[]): Promise<boolean> {
    if (uris.length > MOST_RESOURCES) return false;
    this.#resources.set(target, new Set(uris));
    await Promise.all([...(this.#streams.get(target) ?? [])].map((renew) => renew()));
    return true;
  }

  /** `renew` is called when an open stream of this target must listen to other resources. The returned function takes it back. */
  stream(target: string, renew: () => Promise<void>): () => void {
    const streams = this.#streams.get(target) ?? new Set();
    this.#streams.set(target, streams.add(renew));
    return () => {
      streams.delete(renew);
    };
  }
}

/** Resources of one target that a session may subscribe to. */
const MOST_RESOURCES = 1024;

function keyOf(target: string, id: Id): string {
  return JSON.stringify([target, id]);
}

/** What servers without sessions may ask of a client, of all that it says it can. */
export function askableOf(capabilities: unknown): Json {
  const all = asObject(capabilities) ?? {};
  const askable = Object.fromEntries(
    ['elicitation', 'roots', 'sampling'].flatMap((name) =>
      asObject(all[name]) === undefined ? [] : [[name, all[name]]],
    ),
  );
  // It is kept for as long as the session is.
  return JSON.stringify(askable).length > LARGEST ? {} : askable;
}

/** Characters. */
const LARGEST = 2048;
