import { once } from '../../../base/once.ts';
import { parseObject, type Json } from '../json.ts';
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

/** An event that came as these bytes. What it says is JSON unless `parse` knows better. */
export function receivedEvent(
  bytes: Uint8Array,
  { name, data }: Pick<StreamEvent, 'name' | 'data'>,
  parse: (data: string) => Json | undefined = parseObject,
): StreamEvent {
  const json = once(() => (data === undefined ? undefined : parse(data)));
  return {
    name,
    data,
    bytes,
    get json() {
      return json();
    },
  };
}

/** An event made here. It becomes text when somebody wants that. */
export function jsonEvent(json: Json, name?: string): StreamEvent {
  const data = once(() => JSON.stringify(json));
  const bytes = once(() => writeSse(data(), name));
  return {
    name,
    json,
    get data() {
      return data();
    },
    get bytes() {
      return bytes();
    },
  };
}

/** An event that says these words. */
export function textEvent(data: string, name?: string): StreamEvent {
  const json = once(() => parseObject(data));
  const bytes = once(() => writeSse(data, name));
  return {
    name,
    data,
    get json() {
      return json();
    },
    get bytes() {
      return bytes();
    },
  };
}
