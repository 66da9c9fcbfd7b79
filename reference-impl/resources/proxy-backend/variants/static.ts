import { z } from 'zod';
import { type Fields, rule } from '../../groups.ts';
import { portNumber, shortString } from '../../scalars.ts';

const has = (backend: Fields, name: string): boolean => backend[name] !== undefined;

/** A host and port, or a Unix domain socket. */
export const staticBackend = rule(
  rule(
    z.strictObject({
      host: shortString.exactOptional(),
      port: portNumber.exactOptional(),
      unixPath: z.string().min(1).exactOptional(),
    }),
    'ADMIT-006',
    (backend) => !has(backend, 'unixPath') || (!has(backend, 'host') && !has(backend, 'port')),
    'unixPath cannot be set together with host or port',
  ),
  'ADMIT-006',
  (backend) => has(backend, 'unixPath') || (has(backend, 'host') && has(backend, 'port')),
  'either unixPath, or host and port together, must be set',
);

export type StaticBackend = z.infer<typeof staticBackend>;
