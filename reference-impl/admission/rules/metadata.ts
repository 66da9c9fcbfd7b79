import type { Resource } from '../../resources/kinds.ts';
import type { Path } from '../violation.ts';
import { never, row, type Rule } from './row.ts';

/** Bytes of all annotations of an object, names included. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

const QUALIFIED_NAME =
  'must be up to 63 letters, digits, dashes, underscores and dots, with a letter or digit at each end; a DNS name and a slash may stand before it';

/**
 * What an API server demands of the labels and annotations of every kind, and of the keys of data: an object that breaks it
 * could be submitted here and nowhere else. No clause speaks of it. docs/decisions/resource-api.md
 */
export const metadataRules: readonly Rule<Resource>[] = [
  row('', labels, ([key]) => isQualifiedName(key), QUALIFIED_NAME),
  row(
    '',
    labels,
    ([, value]) => value === '' || isNamePart(value),
    'the value of a label is empty or up to 63 letters, digits, dashes, underscores and dots, with a letter or digit at each end',
  ),
  row('', annotations, ([key]) => isQualifiedName(key.toLowerCase()), QUALIFIED_NAME),
  row('', tooManyAnnotations, never, `annotations may have ${MAX_ANNOTATION_BYTES} bytes together`),
  row(
    '',
    dataMembers,
    ([key]) => /^[-._a-zA-Z0-9]{1,253}$/.test(key) && key !== '.' && !key.startsWith('..'),
    'a key is up to 253 letters, digits, dashes, underscores and dots; it is not a dot and does not begin with two',
  ),
  row('', repeatedKeys, never, 'a key of data may not be one of binaryData'),
];

type Entry = readonly [Path, readonly [key: string, value: string]];

function labels({ metadata }: Resource): readonly Entry[] {
  return entriesOf(['metadata', 'labels'], metadata.labels);
}

function annotations({ metadata }: Resource): readonly Entry[] {
  return entriesOf(['metadata', 'annotations'], metadata.annotations);
}

function entriesOf(path: Path, map: Readonly<Record<string, string>> | undefined): readonly Entry[] {
  return Object.entries(map ?? {}).map((entry) => [[...path, entry[0]], entry]);
}

function isQualifiedName(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return isNamePart(key);
  const prefix = key.slice(0, slash);
  return prefix.length <= 253 && DNS_NAME.test(prefix) && isNamePart(key.slice(slash + 1));
}

const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function isNamePart(text: string): boolean {
  return text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text);
}

function tooManyAnnotations({ metadata }: Resource): readonly (readonly [Path, undefined])[] {
  const bytes = Object.entries(metadata.annotations ?? {}).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return bytes > MAX_ANNOTATION_BYTES ? [[['metadata', 'annotations'], undefined]] : [];
}

function dataMembers(resource: Resource): readonly Entry[] {
  if (resource.kind === 'Secret')
    return [...entriesOf(['data'], resource.data), ...entriesOf(['stringData'], resource.stringData)];
  if (resource.kind !== 'ConfigMap') return [];
  return [...entriesOf(['data'], resource.data), ...entriesOf(['binaryData'], resource.binaryData)];
}

function repeatedKeys(resource: Resource): readonly Entry[] {
  if (resource.kind !== 'ConfigMap') return [];
  const { data = {} } = resource;
  return entriesOf(['binaryData'], resource.binaryData).filter(([, [key]]) => Object.hasOwn(data, key));
}
