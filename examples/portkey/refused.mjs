/** A resource that cannot be put into the words of the gateway. Becomes an entry of `rejected`. */
export class Refused extends Error {
  constructor({ kind, metadata: { namespace = 'default', name } }, at, message) {
    super(message);
    this.violation = { resource: `${kind} ${namespace}/${name}`, namespace, path: at, message };
  }
}

/** Refuses a resource for members that nobody here reads, because what is left out in silence would be a lie. */
export function onlyKnown(resource, at, given, known) {
  const unknown = Object.keys(given ?? {}).find((member) => !known.includes(member));
  if (unknown !== undefined) throw new Refused(resource, `${at}.${unknown}`, `${unknown} is not implemented`);
}
