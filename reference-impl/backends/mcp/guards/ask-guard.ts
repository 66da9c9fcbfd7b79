import { Buffer } from 'node:buffer';
import type { Client } from '@connectrpc/connect';
import { errorFields } from '../../../base/log.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { grpcClient, grpcTimeout, signalOf } from '../../../upstream/peer-call.ts';
import { type AuthorizationError, ExtMcp } from '../../../upstream/wire/ext_mcp_pb.js';
import type { Asked } from '../asked.ts';
import { type Json, parseObject } from '../../json.ts';
import type { Guard } from './guard.ts';
import { type Rejection, rejectionFor, unavailable } from './rejection.ts';

/** What a guard makes of params or of a result. */
export interface Verdict<Said> {
  /** Undefined leaves them as they are. */
  readonly mutated: Json | undefined;
  readonly said: Said;
}

interface WithResult {
  readonly result:
    | { readonly case: 'pass' }
    | { readonly case: 'mutated'; readonly value: Uint8Array }
    | { readonly case: 'error'; readonly value: AuthorizationError }
    | { readonly case: undefined };
}

/** Milliseconds a guard has for each of its verdicts, unless the policies of its server say something else. */
const PATIENCE = 10_000;

/**
 * Asks a guard. GUARDMCP-023: what goes wrong is a rejection under FailClosed, and undefined under FailOpen. Rejects only
 * when the client is gone or its time is over.
 */
export async function askGuard<Said extends WithResult>(
  asked: Asked,
  guard: Guard,
  check: 'request' | 'response',
  call: (client: Client<typeof ExtMcp>, options: CallOptions) => Promise<Said>,
): Promise<Verdict<Said> | Rejection | undefined> {
  const { exchange, services } = asked;
  const { signal, release } = signalOf(exchange.cancellation);
  try {
    const server = exchange.view.references.backend(guard.server, guard.origin);
    if ('unresolved' in server) throw new ProxyError('backendNotFound', server.message);
    const client = grpcClient(ExtMcp, exchange, server, services);
    return verdictOf(await call(client, { signal, timeoutMs: grpcTimeout(server, PATIENCE) }));
  } catch (error) {
    // Nobody waits for a verdict any more: this is no failure of the server.
    if (exchange.cancellation.reason !== undefined) throw exchange.cancellation.reason;
    services.log.warn('MCP guard failed', { policy: guard.origin.name, check, ...errorFields(error) });
    return guard.failOpen ? undefined : unavailable(check);
  } finally {
    release();
  }
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Throws a ProxyError when it is no verdict: such a guard has failed. */
function verdictOf<Said extends WithResult>(said: Said): Verdict<Said> | Rejection {
  const { result } = said;
  if (result.case === undefined) throw new ProxyError('upstreamCallFailed', 'the guard gave no verdict');
  if (result.case === 'error') return rejectionFor(result.value);
  return { mutated: result.case === 'mutated' ? objectIn(result.value) : undefined, said };
}

function objectIn(bytes: Uint8Array): Json {
  const value = parseObject(Buffer.from(bytes).toString());
  if (value === undefined) throw new ProxyError('upstreamCallFailed', 'the guard wrote what is no JSON object');
  return value;
}
