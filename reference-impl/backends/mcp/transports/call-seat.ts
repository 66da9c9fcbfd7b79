import { HeaderMap } from '../../../base/headers.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Answer, Request, Targeted } from '../../../exchange/exchange.ts';
import type { Asked, Seat } from '../asked.ts';
import { knownReplica } from '../replicas.ts';
import type { Sent } from './transport.ts';

/** One HTTP request to a target, with what the client says of itself. Rejects with a ProxyError when no response comes. */
export function callSeat(
  asked: Asked,
  seat: Seat,
  said: Pick<Request, 'method' | 'headers' | 'body' | 'target'>,
): Promise<Answer> {
  const { exchange, callTarget, services } = asked;
  const { target, endpoint, sessionId, revision } = seat;
  const session: Fields = sessionId === undefined ? [] : [['mcp-session-id', sessionId]];
  const version: Fields = revision === undefined ? [] : [['mcp-protocol-version', revision]];
  // What the client speaks is not what is spoken here.
  const other = revision !== undefined || asked.perRequest === true ? ['mcp-protocol-version'] : [];
  const headers = HeaderMap.of([
    ...exchange.request.headers.remove(...OWN_FIELDS, ...other),
    ...version,
    ...session,
    // What is read here must be readable.
    ['accept-encoding', 'identity'],
    ...said.headers,
  ]);
  const backend = endpoint === undefined ? target.backend : { ...target.backend, endpoints: [endpoint] };
  const targeted: Targeted = { ...exchange, backend, request: { ...exchange.request, ...said, headers } };
  return callTarget(targeted, services, endpoint && knownReplica(target.backend, endpoint, asked));
}

/** What goes wrong at the target is a value. Rejects only when the client is gone or its time is over. */
export async function settled<Done>(
  { exchange }: Asked,
  send: () => Promise<Done>,
): Promise<Done | Extract<Sent, { kind: 'fails' }>> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ProxyError) || exchange.cancellation.reason !== undefined) throw error;
    return { kind: 'fails', failure: error };
  }
}

type Fields = readonly (readonly [name: string, value: string])[];

/** What is about the message of the client, not about the client. */
const OWN_FIELDS = [
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'last-event-id',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
] as const;
