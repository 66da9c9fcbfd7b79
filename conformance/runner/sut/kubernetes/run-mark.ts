import { randomInt } from 'node:crypto';
import { isObject } from '../../values/json.ts';
import type { Resource } from '../session.ts';

/** Without vowels, and without digits that look like letters: nobody reads a word in it. */
const LETTERS = 'bcdfghjkmnpqrstvwxz2456789';

/** What tells this run from others that use the same cluster at the same time: a process is one run. */
export const RUN = Array.from({ length: 5 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');

export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const SUITE = 'proxy-conformance';
export const RUN_LABEL = 'proxy-conformance/run';

/** A copy that says that the suite made it, and in which run. */
export function inRun(resource: Resource, run: string | undefined): Resource {
  const { metadata } = resource;
  if (run === undefined || !isObject(metadata)) return resource;
  const labels = isObject(metadata['labels']) ? metadata['labels'] : {};
  // What a case says of itself stays: it may be what it is about.
  return { ...resource, metadata: { ...metadata, labels: { [MANAGED_BY]: SUITE, [RUN_LABEL]: run, ...labels } } };
}

/** Which run made an object; undefined where the suite did not. */
export function runOf({ metadata }: Resource): string | undefined {
  const labels = isObject(metadata) && isObject(metadata['labels']) ? metadata['labels'] : {};
  const run = labels[RUN_LABEL];
  return labels[MANAGED_BY] === SUITE && typeof run === 'string' ? run : undefined;
}
