/**
 * Remembers the result per argument object, for as long as the object lives. For pure functions of configuration: a
 * generation that keeps an object keeps whatever was computed from it.
 *
 * This is the one way to remember what follows from configuration, in four shapes:
 * - `perObject`: by one object;
 * - `perKey` (per-key.ts): by a text, for as long as the function itself lives, so inside a view or a `perObject`;
 * - `perList` (per-list.ts): by the members of a short list, such as the policies that are merged;
 * - `perLatestList` (per-list.ts): by the members of a long list of which only the latest is of use.
 * Several arguments are one inside the other: `perObject((policy) => perKey((level) => …))`.
 */
export function perObject<Key extends object, Result>(compute: (key: Key) => Result): (key: Key) => Result {
  const results = new WeakMap<Key, { readonly result: Result }>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known.result;
    const result = compute(key);
    results.set(key, { result });
    return result;
  };
}
