import { parseObject, type Json } from '../../json.ts';
import { writeSse } from './write-sse.ts';

/** One event of a stream. */
export interface StreamEvent {
  /** Undefined for an event without a name of its own. */
  readonly name: string | undefined;
  /** Undefined for comments, which say nothing. */
  readonly data: string | undefined;
  /** The object that `data` spells, if it spells one; parsed when it is first asked for, and never again. */
  readonly json: Json | undefined;
  /** All of it, with its end: as it came, or as server-sent events have it. */
  readonly bytes: Uint8Array;
}

/** What an event says, as far as nothing has to be parsed or written for it. */
interface Known {
  readonly name?: string | undefined;
  readonly data?: string | undefined;
  readonly bytes?: Uint8Array;
  /** What the data spells, unless it is simply JSON. */
  readonly parse?: (data: string) => Json | undefined;
}

/** An event that came as these bytes. */
export function receivedEvent(known: Known & { readonly bytes: Uint8Array }): StreamEvent {
  return new TextEvent(known);
}

/** An event that says these words. */
export function textEvent(data: string, name?: string): StreamEvent {
  return new TextEvent({ name, data });
}

/** An event made here. It becomes text when somebody wants that. */
export function jsonEvent(json: Json, name?: string): StreamEvent {
  return new JsonEvent(json, name);
}

// Classes, because nearly every token of every model passes as one of these, and getters of literals are made anew each time.

class TextEvent implements StreamEvent {
  readonly name: string | undefined;
  readonly data: string | undefined;
  readonly #parse: (data: string) => Json | undefined;
  #bytes: Uint8Array | undefined;
  #json: Json | undefined;
  #isParsed: boolean;

  constructor({ name, data, bytes, parse = parseObject }: Known) {
    this.name = name;
    this.data = data;
    this.#parse = parse;
    this.#bytes = bytes;
    this.#isParsed = data === undefined;
  }

  get json(): Json | undefined {
    if (this.#isParsed) return this.#json;
    this.#isParsed = true;
    this.#json = this.#parse(this.data ?? '');
    return this.#json;
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= writeSse(this.data ?? '', this.name));
  }
}

class JsonEvent implements StreamEvent {
  readonly name: string | undefined;
  readonly json: Json;
  #data: string | undefined;
  #bytes: Uint8Array | undefined;

  constructor(json: Json, name: string | undefined) {
    this.name = name;
    this.json = json;
  }

  get data(): string {
    return (this.#data ??= JSON.stringify(this.json));
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= writeSse(this.data, this.name));
  }
}
