import { z } from 'zod';
import { described, describedFields, noted } from '../notes.ts';
import { backendConnectionShape } from './connection.ts';
import { backendAi } from './fields/ai/backend-ai.ts';
import { backendAuth } from './fields/auth/backend-auth.ts';
import { extAuth } from './fields/ext-auth.ts';
import { health } from './fields/health.ts';
import { backendMcp } from './fields/mcp/backend-mcp.ts';
import { transformation } from './fields/transformation.ts';

const simple = describedFields(
  { ...backendConnectionShape, auth: backendAuth.exactOptional() },
  { auth: 'How the proxy identifies itself to the backend.' },
);

const withAi = describedFields(
  {
    ...simple,
    ai: backendAi.exactOptional(),
    transformation: transformation.exactOptional(),
    health: health.exactOptional(),
  },
  {
    ai: 'What is done to LLM requests; for backends of type ai.',
    transformation: 'Edits of requests and answers by expressions.',
    health: 'Which answers count against an endpoint, and when it rests.',
  },
);

/** Settings for the connection to a destination, and for what is said on it. */
export const backendFull = described(
  z.strictObject({
    ...withAi,
    mcp: backendMcp.exactOptional(),
    extAuth: extAuth.exactOptional(),
  }),
  {
    mcp: 'What is done to MCP traffic; for backends of type mcp.',
    extAuth: 'Asks a server whether the request may pass.',
  },
  'The connection to the destination, and what is said on it.',
);

/** For one provider of an AI backend. */
export const backendWithAi = described(z.strictObject(withAi), {}, 'Settings for one provider.');

/** For one target of an MCP backend: the connection and its credentials only (ADMIT-094). */
export const backendSimple = noted(described(z.strictObject(simple), {}, 'Settings for one MCP target.'), {
  closed: 'ADMIT-094',
});

export type BackendFull = z.infer<typeof backendFull>;
export type BackendWithAI = z.infer<typeof backendWithAi>;
export type BackendSimple = z.infer<typeof backendSimple>;
