import { z } from 'zod';
import { whereShape } from '../http-input.ts';
import { targetOf } from '../target.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';
import { webSocketAct } from '../websocket-act.ts';

const schema = z.strictObject({
  GET: z.string().describe('target of the handshake, with the query'),
  headers: z.record(z.string(), z.string()).optional().describe('headers of the handshake, name to value'),
  protocols: z.array(z.string()).optional().describe('subprotocols the client offers, best first'),
  do: z
    .array(webSocketAct)
    .optional()
    .describe('what the client does, one after another; it closes with 1000 at the end unless a close stands here'),
  ...whereShape,
});
type WebSocketInput = z.infer<typeof schema>;

/** Opens a WebSocket, does what is written one after another, and closes it, unless the other side does. */
export const websocket: StepDefinition<WebSocketInput> = {
  name: 'websocket',
  text: 'Opens a WebSocket, sends and awaits messages, and gathers what comes back until it is closed.',
  schema,
  expectKeys: [
    /** 101, or the status of the answer that refused. */
    'status',
    'headers',
    'body',
    /** Text messages as JSON or text, binary ones as {base64}. */
    'messages',
    'pongs',
    'protocol',
    /** What the other side closed with; 1006 when it did not close but was gone. */
    'closeCode',
    'closeReason',
    'gates',
    'elapsedMs',
    'failure',
  ],
  run,
  describe: ({ GET: path }) => `WebSocket ${path}`,
};

async function run(input: WebSocketInput, context: StepContext): Promise<Observation> {
  const { host, port } = targetOf(input, context);
  // Few cases speak WebSocket; the first verdict of the others is not to wait for its library.
  const { webSocketSession } = await import('../websocket-client.ts');
  return webSocketSession(
    {
      url: `ws://${host}:${port}${input.GET}`,
      headers: { host: input.host ?? context.host, ...input.headers },
      protocols: input.protocols ?? [],
      acts: input.do ?? [],
    },
    context,
  );
}
