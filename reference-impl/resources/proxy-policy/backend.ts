import { z } from 'zod';
import { noted } from '../notes.ts';
import { backendConnectionShape } from './connection.ts';
import { backendAi } from './fields/ai/backend-ai.ts';
import { backendAuth } from './fields/auth/backend-auth.ts';
import { extAuth } from './fields/ext-auth.ts';
import { health } from './fields/health.ts';
import { backendMcp } from './fields/mcp/backend-mcp.ts';
import { transformation } from './fields/transformation.ts';

const simple = { ...backendConnectionShape, auth: backendAuth.exactOptional() };

const withAi = {
  ...simple,
  ai: backendAi.exactOptional(),
  transformation: transformation.exactOptional(),
  health: health.exactOptional(),
};

/** Settings for the connection to a destination, and for what is said on it. */
export const backendFull = z.strictObject({
  ...withAi,
  mcp: backendMcp.exactOptional(),
  extAuth: extAuth.exactOptional(),
});

/** For one provider of an AI backend. */
export const backendWithAi = z.strictObject(withAi);

/** For one target of an MCP backend: the connection and its credentials only (ADMIT-094). */
export const backendSimple = noted(z.strictObject(simple), { closed: 'ADMIT-094' });

export type BackendFull = z.infer<typeof backendFull>;
export type BackendWithAI = z.infer<typeof backendWithAi>;
export type BackendSimple = z.infer<typeof backendSimple>;
