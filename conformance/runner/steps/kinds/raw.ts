import { z } from 'zod';
import { orPlaceholder } from '../authoring.ts';
import { bytesOf, bytesSchema, whereShape } from '../http-input.ts';
import { rawExchange } from '../raw-client.ts';
import { targetOf } from '../target.ts';
import { tlsClientSchema } from '../tls-client.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

const part = z.union([
  bytesSchema,
  z.strictObject({ await: z.string().min(1).describe('waits until this text has come before the next part is sent') }),
  z.strictObject({ gate: z.string().min(1).describe('waits until this gate is open before the next part is sent') }),
  z.strictObject({ end: z.literal(true).describe('closes the sending direction') }),
  z.strictObject({ reset: z.literal(true).describe('drops the connection with a reset') }),
]);

const schema = z.strictObject({
  send: z
    .union([bytesSchema, z.array(part)])
    .describe('what is sent, as it stands: a text (\\r\\n is written out), or a list of parts with waits between'),
  until: z
    .enum(['response', 'close'])
    .optional()
    .describe(
      'response (default): until so many final responses are whole as responses says; close: until the connection closes',
    ),
  responses: orPlaceholder(z.int().min(1))
    .optional()
    .describe('how many final responses are waited for; 1 when absent'),
  method: z.string().optional().describe('method of the request, for the framing of its answer: HEAD has no body'),
  tls: tlsClientSchema.optional().describe('sends them over TLS'),
  port: whereShape.port,
  listener: whereShape.listener,
});

type RawInput = z.infer<typeof schema>;

/** Sends bytes as they stand and reads bytes; what looks like HTTP/1.1 responses is parsed too. */
export const raw: StepDefinition<RawInput> = {
  name: 'raw',
  text: 'Sends bytes exactly as written over an own connection and reads what comes back.',
  schema,
  expectKeys: [
    'status',
    'headers',
    'body',
    'responses',
    'text',
    'bytes',
    'closed',
    'reset',
    'malformed',
    'gates',
    'probe',
    'handshake',
    'elapsedMs',
    'failure',
  ],
  run,
  describe: (input) => `raw ${JSON.stringify(firstText(input.send)).slice(0, 60)}`,
};

async function run(input: RawInput, context: StepContext): Promise<Observation> {
  const parts = (Array.isArray(input.send) ? input.send : [input.send]).map(sendable);
  const asksClose = context.expect['closed'] === true || context.expect['reset'] === true;
  return rawExchange(
    parts,
    {
      ...targetOf(input, context),
      until: input.until ?? (asksClose ? 'close' : 'response'),
      responses: typeof input.responses === 'number' ? input.responses : 1,
      method: input.method,
      tls: input.tls,
    },
    context,
  );
}

function sendable(value: z.infer<typeof part>): Parameters<typeof rawExchange>[0][number] {
  if (value === null) return { bytes: Buffer.alloc(0) };
  if (typeof value === 'string') return { bytes: Buffer.from(value, 'utf8') };
  if ('await' in value || 'gate' in value || 'end' in value || 'reset' in value) return value;
  return { bytes: bytesOf(value) ?? Buffer.alloc(0) };
}

function firstText(send: RawInput['send']): string {
  const [first] = Array.isArray(send) ? send : [send];
  return typeof first === 'string' ? first : JSON.stringify(first ?? null);
}
