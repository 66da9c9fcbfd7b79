import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { described, noted } from '../../notes.ts';

/** `qualifier`: an alias or version of the runtime. */
const agentCore = noted(
  described(z.strictObject({ agentRuntimeArn: z.string().min(1), qualifier: z.string().exactOptional() }), {
    agentRuntimeArn: 'ARN of the runtime.',
    qualifier: 'Alias or version of the runtime.',
  }),
  {
    requires: 'ADMIT-011',
  },
);

/** An agent runtime of cloud A. `agentCore` is the only variant so far (ADMIT-010). */
export const cloudABackend = noted(
  exactlyOne(
    described(z.strictObject({ agentCore: agentCore.exactOptional() }), {
      agentCore: 'A runtime by its ARN; the only variant so far.',
    }),
    'ADMIT-010',
    'agentCore',
  ),
  { text: 'An agent runtime of cloud A.' },
);

export type CloudABackend = z.infer<typeof cloudABackend>;
export type AgentCore = z.infer<typeof agentCore>;
