import { createHash } from 'node:crypto';
import type { Envelope } from '../../resources/envelope.ts';
import type { Fields } from '../../resources/groups.ts';
import type { Resource } from '../../resources/kinds.ts';
import { withoutStringData } from './secret-data.ts';

/** An object as a client sees it. */
export type ShownObject = Envelope & Fields;

/** A resource with the members a server adds. `key` is its key in the store. */
export function shownObject(key: string, stored: Resource, status: unknown, version: number): ShownObject {
  const { apiVersion, kind, metadata } = stored;
  const labels = kind === 'Namespace' ? { labels: { ...metadata.labels, [NAME_LABEL]: metadata.name } } : {};
  const { apiVersion: _a, kind: _k, metadata: _m, ...content } = withoutStringData({ ...stored });
  const members = { ...content, ...(status === undefined ? {} : { status }) };
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, ...labels, uid: metadata.uid ?? uidOf(key, stored), resourceVersion: String(version) },
    ...members,
  };
}

/** Every namespace can be selected by its name. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** Objects of files have no uid of their own; theirs follows from what does not change while they exist. */
function uidOf(key: string, { metadata }: Envelope): string {
  const hash = createHash('sha256')
    .update(`${key} ${metadata.creationTimestamp ?? ''}`)
    .digest('hex');
  // The digits of a version 8 UUID: made by a rule of its own.
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
