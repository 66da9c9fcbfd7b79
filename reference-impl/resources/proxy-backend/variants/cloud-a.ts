import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { noted } from '../../notes.ts';

/** `qualifier`: an alias or version of the runtime. */
const agentCore = noted(z.strictObject({ agentRuntimeArn: z.string().min(1), qualifier: z.string().exactOptional() }), {
  requires: 'ADMIT-011',
});

/** An agent runtime of cloud A. `agentCore` is the only variant so far (ADMIT-010). */
export const cloudABackend = noted(
  exactlyOne(z.strictObject({ agentCore: agentCore.exactOptional() }), 'ADMIT-010', 'agentCore'),
  { text: 'An agent runtime of cloud A.' },
);

export type CloudABackend = z.infer<typeof cloudABackend>;
