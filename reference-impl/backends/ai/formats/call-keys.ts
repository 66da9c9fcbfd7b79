import { asNumber, asObject, asString, type Json } from '../../json.ts';

/**
 * Tells the calls of a stream of completions apart: by their index, and where a provider gives all of them the same, by the id
 * a call begins with. `position` is the place in the chunk, for providers that give none. docs/decisions/ai-formats.md
 */
export function callKeys(): (call: Json, position: number) => string {
  const latest = new Map<number, { readonly id: string; readonly key: string }>();
  return (call, position) => {
    const index = asNumber(call['index']) ?? position;
    const id = asString(call['id']) ?? '';
    const known = latest.get(index);
    if (known !== undefined && !(begins(call) && id !== '' && id !== known.id)) return known.key;
    const key = known === undefined ? String(index) : `${index} ${id}`;
    latest.set(index, { id, key });
    return key;
  };
}

/** Some providers repeat an id, or change it, with pieces of a call; only its beginning has a name. */
function begins(call: Json): boolean {
  return (asString(asObject(call['function'])?.['name']) ?? '') !== '';
}
