/**
 * The one of the listed URIs that leads to a resource of a target. No document says how a URI keeps the way to its target, so the only URI
 * there is can look like anything; of several it ends with that of the resource, plain or percent-encoded, and has the target's name
 * before that where more than one does. Undefined where none is found, or more than one.
 */
export function findUri(uris: readonly string[], target: string, uri: string): string | undefined {
  if (uris.length === 1) return uris[0];
  const ends = [uri, encodeURIComponent(uri)];
  const ending = uris.flatMap((listed) => {
    const end = ends.find((one) => listed.endsWith(one));
    return end === undefined ? [] : [{ listed, before: listed.slice(0, listed.length - end.length) }];
  });
  const found = ending.length === 1 ? ending : ending.filter(({ before }) => before.includes(target));
  return found.length === 1 ? found[0]?.listed : undefined;
}
