import { Buffer } from 'node:buffer';
import { HeaderMap } from '../../../../base/headers.ts';
import { ProxyError } from '../../../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../../../base/read-body.ts';
import type { Received } from '../../../../exchange/exchange.ts';
import { endpointAt } from '../../../../credentials/token-endpoint.ts';
import type { Services } from '../../../../credentials/services.ts';
import { callHttp } from '../../../../upstream/peer-call.ts';

/** What an identity provider said. */
export interface Said {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly bytes: Uint8Array;
}

/** Bytes of an answer of an identity provider. */
const MOST_BYTES = 1024 * 1024;

/** Asks the identity provider: with GET, or with a body by POST. Rejects with a ProxyError when there is no answer. */
export async function askIssuer(exchange: Received, services: Services, url: string, body?: Posted): Promise<Said> {
  const place = URL.parse(url);
  if (place === null) throw new ProxyError('upstreamCallFailed', 'the issuer is no URL');
  const { server, target } = endpointAt(place);
  const request = {
    method: body === undefined ? 'GET' : 'POST',
    target,
    headers: HeaderMap.of([['accept', 'application/json'], ...(body ? [['content-type', body.type] as const] : [])]),
    body: body && bytesBody(Buffer.from(body.bytes)),
  };
  const answer = await callHttp(exchange, server, request, services);
  const { bytes, overflow } = await readBody(answer.body, MOST_BYTES);
  if (overflow) {
    answer.body?.cancel();
    throw new ProxyError('upstreamCallFailed', 'the answer of the identity provider is too large');
  }
  return { status: answer.status, headers: answer.headers, bytes };
}

export interface Posted {
  readonly type: string;
  readonly bytes: Uint8Array;
}
