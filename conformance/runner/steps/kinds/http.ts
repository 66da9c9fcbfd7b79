import { outsideCommand, type CurlContext, type Outside } from '../curl.ts';
import { httpCall, httpInputSchema, type HttpInput } from '../http-input.ts';
import { exchange } from '../http-client.ts';
import { targetOf } from '../target.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

/** Sends one request to the data endpoint and reads the whole answer. */
export const http: StepDefinition<HttpInput> = {
  name: 'http',
  text: 'Sends one request to the implementation and reads the answer.',
  schema: httpInputSchema,
  expectKeys: [
    'status',
    'reason',
    'headers',
    'rawHeaders',
    'body',
    'bytes',
    'base64',
    'json',
    'trailers',
    'informational',
    /** Whether the whole message came. */
    'complete',
    /** How the answer ended: `complete`, or the word of the failure. */
    'closed',
    /** Of TLS: version, cipher, group, alpn, and the common name of the certificate the implementation showed. */
    'handshake',
    'gates',
    'elapsedMs',
    'failure',
  ],
  run,
  describe: (input) => `${httpCall(input).method} ${httpCall(input).path}`,
  curl,
};

async function run(input: HttpInput, context: StepContext): Promise<Observation> {
  const target = targetOf(input, context);
  return exchange(
    httpCall(input),
    {
      ...target,
      hostHeader: input.host ?? context.host,
      connection: input.connection,
      version: input.version,
      tls: input.tls,
    },
    context,
  );
}

function curl(input: HttpInput, context: CurlContext): Outside {
  return outsideCommand(httpCall(input), input, context);
}
