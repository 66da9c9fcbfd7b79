import { z } from 'zod';
import { type Fields, rule } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { portNumber, shortString } from '../../scalars.ts';

const has = (backend: Fields, name: string): boolean => backend[name] !== undefined;

/** A host and port, or a Unix domain socket the workload can see (ADMIT-006 to ADMIT-008). */
export const staticBackend = rule(
  rule(
    noted(
      described(
        z.strictObject({
          host: shortString.exactOptional(),
          port: noted(portNumber, { clause: 'ADMIT-007' }).exactOptional(),
          unixPath: noted(z.string().min(1), { clause: 'ADMIT-008' }).exactOptional(),
        }),
        {
          host: 'Host name or address; with port.',
          port: 'Port number, 1 to 65535; with host.',
          unixPath: 'Path of a Unix domain socket; instead of host and port.',
        },
      ),
      { text: 'One host and port, or a Unix domain socket.' },
    ),
    'ADMIT-006',
    (backend) => !has(backend, 'unixPath') || (!has(backend, 'host') && !has(backend, 'port')),
    'unixPath cannot be set together with host or port',
    '!has(self.unixPath) || (!has(self.host) && !has(self.port))',
  ),
  'ADMIT-006',
  (backend) => has(backend, 'unixPath') || (has(backend, 'host') && has(backend, 'port')),
  'either unixPath, or host and port together, must be set',
  'has(self.unixPath) || (has(self.host) && has(self.port))',
);

export type StaticBackend = z.infer<typeof staticBackend>;
