import type { Violation } from '../../admission/violation.ts';
import { type Fields, isFields } from '../../resources/groups.ts';
import { withoutCredentials } from '../../trace/credentials.ts';
import type { ShownObject } from './shown-object.ts';

const PLACEHOLDER = '<redacted>';
/** Values of a Secret are base64, so that clients can still decode them. */
const ENCODED_PLACEHOLDER = Buffer.from(PLACEHOLDER).toString('base64');
const COPY_OF_ALL = 'kubectl.kubernetes.io/last-applied-configuration';

/** An object as a list or a watch shows it: who wants its credentials must ask for it by name. */
export function redact(object: ShownObject): ShownObject {
  const shown = withoutCredentials(object);
  if (!isShown(shown)) return object;
  const { [COPY_OF_ALL]: _, ...annotations } = shown.metadata.annotations ?? {};
  const metadata = { ...shown.metadata, ...(shown.metadata.annotations === undefined ? {} : { annotations }) };
  if (object.kind !== 'Secret') return { ...shown, metadata };
  const hidden = ['data', 'stringData'].flatMap((member) => {
    const values = object[member];
    if (!isFields(values)) return [];
    return [{ [member]: Object.fromEntries(Object.keys(values).map((key) => [key, placeholderIn(member)])) }];
  });
  return hidden.reduce<ShownObject>((secret, values) => ({ ...secret, ...values }), { ...shown, metadata });
}

/** What a list showed must not come back as if it were the value. */
export function placeholderViolations(value: Fields): Violation[] {
  return value['kind'] === 'Secret' ? secretPlaceholders(value) : keyPlaceholders(value, []);
}

const MESSAGE = 'is the placeholder that lists show; get the object by name to see its value';

function secretPlaceholders(secret: Fields): Violation[] {
  return ['data', 'stringData'].flatMap((member) => {
    const values = secret[member];
    if (!isFields(values)) return [];
    const hidden = Object.keys(values).filter((key) => values[key] === placeholderIn(member));
    return hidden.map((key) => ({ path: [member, key], message: MESSAGE }));
  });
}

function keyPlaceholders(value: unknown, path: Violation['path']): Violation[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => keyPlaceholders(item, [...path, index]));
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([member, inner]) => {
    const here = [...path, member];
    return member === 'key' && inner === PLACEHOLDER
      ? [{ path: here, message: MESSAGE }]
      : keyPlaceholders(inner, here);
  });
}

function placeholderIn(member: string): string {
  return member === 'data' ? ENCODED_PLACEHOLDER : PLACEHOLDER;
}

function isShown(value: unknown): value is ShownObject {
  return isFields(value) && isFields(value['metadata']) && typeof value['kind'] === 'string';
}
