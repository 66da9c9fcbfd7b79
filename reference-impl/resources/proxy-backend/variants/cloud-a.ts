import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';

const agentCore = z.strictObject({ agentRuntimeArn: z.string().min(1), qualifier: z.string().exactOptional() });

/** `agentCore` is the only variant so far. */
export const cloudABackend = exactlyOne(
  z.strictObject({ agentCore: agentCore.exactOptional() }),
  'ADMIT-010',
  'agentCore',
);

export type CloudABackend = z.infer<typeof cloudABackend>;
