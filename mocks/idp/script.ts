import { z } from 'zod';
import { lanesShape } from '../lanes.ts';
import { bytesSchema, giveUpSchema } from '../script.ts';
import { tlsSchema } from '../tls/script.ts';
import { ALGORITHM_NAMES } from './algorithms.ts';
import { METHODS } from './client-methods.ts';

const path = z.string().regex(/^\//, 'a path that begins with /');
const faults = z.enum(['reset', 'hang', 'half-close', 'garbage']);
const object = z.record(z.string(), z.json());

/** What is sent instead of, or around, what an endpoint has to say. */
const answer = {
  status: z
    .int()
    .min(200)
    .max(599)
    .optional()
    .describe('status of the answer; the usual one of the endpoint when absent'),
  headers: z.record(z.string(), z.string()).optional().describe('further headers of the answer, name to value'),
  body: bytesSchema.optional().describe('instead of the document'),
  gate: z.string().min(1).optional().describe('the head is sent, the document follows when this gate opens'),
  giveUp: giveUpSchema,
  fault: faults.optional().describe('how the answer breaks: reset, hang (no answer), half-close, garbage'),
};

/** Members laid over a document, and names of members taken out of it. */
const edits = {
  with: object.optional().describe('members laid over the document'),
  without: z.array(z.string()).optional().describe('members taken out of the document, by name'),
};

const key = z.strictObject({
  kid: z.string().min(1).describe('name of the key; tokens of the case are signed with the first one'),
  alg: z.enum(ALGORITHM_NAMES).optional().describe('ES256 when absent'),
  published: z.strictObject(edits).optional().describe('how the key stands in the key set'),
});

const keySet = z.strictObject({
  ...answer,
  keys: z.array(z.string()).optional().describe('kids of the keys in it; all when absent'),
  pad: z.int().min(0).optional().describe('so many bytes larger'),
});

const client = z.strictObject({
  id: z.string().min(1).describe('client_id'),
  secret: z.string().optional().describe('client_secret; none is wanted when absent'),
  publicKey: z.string().optional().describe('PEM; the client proves itself by assertions signed with its other half'),
  certificate: z.string().optional().describe('PEM; the same, and its assertions name it, by x5c or x5t#S256'),
  audience: z
    .string()
    .optional()
    .describe('what its assertions must be addressed to; the issuer or the token endpoint when absent'),
  method: z.enum(METHODS).optional().describe('the only way in which it may prove itself'),
});

const tokenAnswer = z.strictObject({
  ...answer,
  ...edits,
  claims: object.optional().describe('further claims of the access token'),
  expiresIn: z.int().min(0).optional().describe('seconds the access token is good for; 300 when absent'),
});
const tokenMatch = z.record(z.string(), z.string()).describe('parameters of the form with these values');
const tokenLanes = z.strictObject(lanesShape(tokenMatch, tokenAnswer));

/** The script of an `idp` peer: discovery, key set, token endpoint and client registration. */
export const idpScriptSchema = z.strictObject({
  kind: z.literal('idp').describe('an identity provider: key set, discovery, tokens, registration'),
  engine: z
    .literal('oidc-provider')
    .optional()
    .describe('discovery, tokens and registration by a well-behaved library; keys and signed tokens stay the same'),
  issuer: z.string().min(1).optional().describe('its own URL when absent; a path is one below that'),
  jwksPath: path.optional().describe('/.well-known/jwks.json when absent'),
  keys: z.array(key).min(1).optional().describe('the first signs; one ES256 key k1 when absent'),
  jwks: z.array(keySet).min(1).optional().describe('one entry per fetch of the key set; the last repeats'),
  discovery: z
    .strictObject({ ...answer, ...edits })
    .optional()
    .describe('how the discovery document differs from a good one'),
  tokenPath: path.optional().describe('where the token endpoint is; /token when absent'),
  token: z
    .union([tokenAnswer, z.array(tokenAnswer).min(1), tokenLanes], { error: 'an answer, a list of answers, or lanes' })
    .optional()
    .describe('how the answer of the token endpoint differs from a good one'),
  registration: z
    .strictObject({ ...answer, ...edits })
    .optional()
    .describe('how the answer to a registration differs from a good one'),
  registersAnywhere: z
    .literal(true)
    .optional()
    .describe(
      'every POST to a path that is nothing else is a registration: a proxy may know another path than /register',
    ),
  clients: z.array(client).optional().describe('who may ask for a token; anybody when absent'),
  trust: z.array(z.string()).optional().describe('names of idp peers whose tokens it takes beside its own'),
  opaque: z.array(z.string()).optional().describe('tokens that are no JWTs and may be exchanged; any when absent'),
  secrets: z
    .record(z.string(), z.string())
    .optional()
    .describe('secrets by name: the ledger shows the name for the secret, and digests of all others'),
  fault: z
    .enum(['refuse', ...faults.options])
    .optional()
    .describe('for every connection'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
});
export type IdpScript = z.infer<typeof idpScriptSchema>;
export type TokenScript = NonNullable<IdpScript['token']>;
export type TokenAnswerScript = z.infer<typeof tokenAnswer>;
export type TokenLanesScript = z.infer<typeof tokenLanes>;
export type KeyScript = z.infer<typeof key>;
export type KeySetScript = z.infer<typeof keySet>;
export type DocumentScript = z.infer<z.ZodObject<typeof answer & typeof edits>>;
export type AnswerScript = z.infer<z.ZodObject<typeof answer>>;
