import { parseByteSize } from '../../../base/byte-size.ts';
import { readBody } from '../../../base/read-body.ts';
import type { Received } from '../../../exchange/exchange.ts';

export type Forwarded =
  | { readonly tooLarge: true }
  | { readonly tooLarge: false; readonly exchange: Received; readonly body: Uint8Array | undefined };

/** Whole bytes of `maxSize`. */
export function forwardLimit(maxSize: string | number): number {
  return parseByteSize(maxSize) ?? 0;
}

/**
 * EXTAUTH-022: reads the body for the server; EXTAUTH-024: the request keeps all of it. Without a limit nothing is read
 * and nothing is forwarded. Rejects when the client breaks off.
 */
export async function forwardBody(exchange: Received, limit: number | undefined): Promise<Forwarded> {
  const { request } = exchange;
  if (limit === undefined) return { tooLarge: false, exchange, body: undefined };
  if (request.body === undefined) return { tooLarge: false, exchange, body: new Uint8Array() };
  // EXTAUTH-025: a length that is declared need not be waited for.
  if ((request.body.length ?? 0) > limit) return { tooLarge: true };
  const { bytes, overflow, rest } = await readBody(request.body, limit);
  if (overflow) return { tooLarge: true };
  return { tooLarge: false, exchange: { ...exchange, request: { ...request, body: rest } }, body: bytes };
}
