/**
 * Remembers the result per argument, for as long as the returned function lives. `perObject` says when to use which;
 * never for texts that clients choose, of which there is no end.
 */
export function perKey<Key extends string | undefined, Result>(compute: (key: Key) => Result): (key: Key) => Result {
  const results = new Map<Key, { readonly result: Result }>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known.result;
    const result = compute(key);
    results.set(key, { result });
    return result;
  };
}
