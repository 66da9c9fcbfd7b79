import { z } from 'zod';
import { mockKinds } from '../../../mocks/registry.ts';
import { once } from '../values/once.ts';
import { withPlaceholders } from './placeholders.ts';

/** One peer of a case as it stands in the file: `kind` and the script of that kind. */
export type PeerSpec = Readonly<Record<string, unknown>>;

/** The kinds a case may name. */
export const peerKinds: readonly string[] = Object.keys(mockKinds);

/** One entry of a case's `peers` section, before interpolation. An unknown kind is an error that lists the known ones. */
export const peerSchema = z.lazy(() => builtSchema());

// Only files that were not checked before ask for it, and it takes as long as loading all others.
const builtSchema = once(() =>
  z.discriminatedUnion('kind', authoringSchemas(), {
    error: (issue) =>
      issue.code === 'invalid_union' ? `unknown peer kind; known kinds: ${peerKinds.join(', ')}` : undefined,
  }),
);

function authoringSchemas(): [z.ZodObject, ...z.ZodObject[]] {
  const [first, ...others] = Object.values(mockKinds).map(({ schema }) => withPlaceholders(schema));
  if (first === undefined) throw new Error('there is no kind of peer');
  return [first, ...others];
}
