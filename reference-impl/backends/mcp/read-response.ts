import { ProxyError } from '../../base/proxy-error.ts';
import type { Asked } from './asked.ts';
import type { Id, Response } from './message.ts';
import type { Arrived, MessageSource } from './transports/transport.ts';

export type ReadResponse =
  | { readonly kind: 'answers'; readonly response: Response; readonly eventId: string | undefined }
  /** The stream is over, and the client may ask for the rest of it. */
  | { readonly kind: 'ends' }
  | { readonly kind: 'fails'; readonly failure: ProxyError };

/** Reads up to the response to a request; `tell` gets what comes before. Rejects only when the client is gone. */
export async function readUntilResponse(
  asked: Asked,
  source: MessageSource,
  id: Id,
  tell: (arrived: Arrived) => Promise<void>,
): Promise<ReadResponse> {
  try {
    for (;;) {
      const arrived = await source.next();
      if (arrived === undefined) return { kind: 'ends' };
      const { message, eventId } = arrived;
      if (message?.kind === 'response' && (message.id === id || message.id === undefined)) {
        readToEnd(asked, source);
        return { kind: 'answers', response: { ...message, id }, eventId };
      }
      await tell(arrived);
    }
  } catch (error) {
    source.cancel();
    if (!(error instanceof ProxyError) || asked.exchange.cancellation.reason !== undefined) throw error;
    return { kind: 'fails', failure: error };
  }
}

/** The same where nobody listens to what comes before, and nobody can come back for the rest. */
export async function readResponse(
  asked: Asked,
  source: MessageSource,
  id: Id,
): Promise<Exclude<ReadResponse, { kind: 'ends' }>> {
  const read = await readUntilResponse(asked, source, id, () => Promise.resolve());
  if (read.kind !== 'ends') return read;
  return { kind: 'fails', failure: new ProxyError('upstreamCallFailed', 'the MCP server ended without a response') };
}

/** Milliseconds a target has to end a stream that has nothing more to say: a connection that is read to its end stays. */
const PATIENCE = 1000;

function readToEnd({ exchange }: Asked, source: MessageSource): void {
  const stop = exchange.clock.after(PATIENCE, source.cancel);
  const read = async (): Promise<void> => {
    while ((await source.next()) !== undefined);
  };
  // What breaks now belongs to nobody.
  read().then(stop, stop);
}
