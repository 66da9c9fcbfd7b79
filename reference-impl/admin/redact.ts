import type { Envelope } from '../resources/envelope.ts';
import { withoutCredentials, withoutLiteralCredentials } from '../trace/credentials.ts';

/** A resource as an operator may see it: a Secret only by the names of its keys, inline credentials hidden. */
export function redact(resource: Envelope): unknown {
  return resource.kind === 'Secret' ? withoutValues(resource) : withoutLiteralCredentials(withoutCredentials(resource));
}

function withoutValues(secret: Envelope): object {
  const { apiVersion, kind, metadata } = secret;
  const keys = ['data', 'stringData'].flatMap((member) => {
    const values: unknown = Reflect.get(secret, member);
    return typeof values === 'object' && values !== null ? Object.keys(values) : [];
  });
  // No annotations: tools keep a copy of the whole Secret there.
  return { apiVersion, kind, metadata: { namespace: metadata.namespace, name: metadata.name }, keys: keys.toSorted() };
}
