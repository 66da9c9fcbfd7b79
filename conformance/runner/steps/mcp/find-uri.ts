/** What a list says of a resource. */
export interface ListedResource {
  readonly uri: string;
  readonly name?: string | undefined;
}

/**
 * The one of the listed URIs that leads to a resource of a target. No document says how a URI keeps the way to its target, so the only URI
 * there is can look like anything. Of several it ends with that of the resource, plain or percent-encoded; or it is that with something put
 * in at one place, as in memo://files/one; or its name in the list ends with it. Where more than one does, the target's name is in what was
 * added. Undefined where none is found, or more than one.
 */
export function findUri(resources: readonly ListedResource[], target: string, uri: string): string | undefined {
  if (resources.length === 1) return resources[0]?.uri;
  for (const added of [addedBefore, addedWithin, addedBeside]) {
    const found = resources.flatMap((listed) => {
      const text = added(listed, uri);
      return text === undefined ? [] : [{ listed, text }];
    });
    const meant = found.length === 1 ? found : found.filter(({ text }) => text.includes(target));
    if (meant.length === 1) return meant[0]?.listed.uri;
  }
  return undefined;
}

function addedBefore({ uri: listed }: ListedResource, uri: string): string | undefined {
  const end = [uri, encodeURIComponent(uri)].find((one) => listed.endsWith(one));
  return end === undefined ? undefined : listed.slice(0, listed.length - end.length);
}

/** All that may have been put in: where letters repeat it could stand at several places. */
function addedWithin({ uri: listed }: ListedResource, uri: string): string | undefined {
  const places = Array.from({ length: uri.length + 1 }, (_, place) => place).filter(
    (place) => listed.startsWith(uri.slice(0, place)) && listed.endsWith(uri.slice(place)),
  );
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined || listed.length < uri.length) return undefined;
  return listed.slice(first, last + listed.length - uri.length);
}

/** A URI that hides all it is made of is told by the name of the resource, which is its URI where a server gives it no other. */
function addedBeside({ uri: listed, name = '' }: ListedResource, uri: string): string | undefined {
  return name.endsWith(uri) ? listed + name.slice(0, name.length - uri.length) : undefined;
}
