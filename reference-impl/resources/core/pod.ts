import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';

// Looser than conditions of other kinds: an orchestrator writes null for times it does not know.
const podCondition = described(
  z.looseObject({ type: z.string().min(1), status: z.string() }),
  { type: 'What the statement is about.', status: 'Whether it holds: True, False or Unknown.' },
  'One statement about the Pod.',
);

const podAddress = described(
  z.looseObject({ ip: z.string().exactOptional() }),
  { ip: 'The address.' },
  'One address of the Pod.',
);

/** Read for its labels, its address and whether it is ready; everything else is kept and not read. */
export const pod = described(
  z.strictObject({
    ...envelope('v1', 'Pod'),
    spec: z.looseObject({}).exactOptional(),
    status: described(
      z.looseObject({
        podIP: z.string().exactOptional(),
        podIPs: z.array(podAddress).exactOptional(),
        conditions: z.array(podCondition).exactOptional(),
      }),
      {
        podIP: 'Its address; absent or empty before it has one.',
        podIPs: 'All of its addresses; the first is used when podIP is absent.',
        conditions: 'What is known of it; it takes requests while Ready is True.',
      },
    ).exactOptional(),
  }),
  { spec: 'Kept, not read.', status: 'Address and readiness.' },
  'A Pod, read as a member of an InferencePool.',
);

export type Pod = z.infer<typeof pod>;
