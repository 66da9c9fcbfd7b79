import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';
import { objectReference } from '../references.ts';
import { GATEWAY_API_V1 } from './gateway-api.ts';
import { listener } from './listener.ts';

/** More listeners for a Gateway, from another object. */
export const listenerSet = described(
  z.strictObject({
    ...envelope(GATEWAY_API_V1, 'ListenerSet'),
    spec: described(
      z.strictObject({
        parentRef: objectReference('Gateway'),
        listeners: z.array(listener).min(1).max(64),
      }),
      { parentRef: 'The Gateway.', listeners: 'Listeners, 1 to 64.' },
    ),
    status: z.looseObject({}).exactOptional(),
  }),
  { spec: 'Gateway and listeners.', status: 'What the controller observed; written by it alone.' },
  'More listeners for a Gateway, from another object.',
);

export type ListenerSet = z.infer<typeof listenerSet>;
