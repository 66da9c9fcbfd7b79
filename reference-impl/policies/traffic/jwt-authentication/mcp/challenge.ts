import { Buffer } from 'node:buffer';
import { HeaderMap } from '../../../../base/headers.ts';
import type { ProxyError } from '../../../../base/proxy-error.ts';
import { bytesBody } from '../../../../base/read-body.ts';
import type { Answer, Received } from '../../../../exchange/exchange.ts';
import { askedPath, origin, RESOURCE } from './addresses.ts';
import type { OAuth } from './oauth.ts';

/** Who has no good token is told where to read how to get one (RFC 9728, section 5.1). A bad token is told no more than none. */
export function challenge(exchange: Received, oauth: OAuth, failure: ProxyError): Answer {
  const place = `${resourceOrigin(oauth) ?? origin(exchange)}${RESOURCE}${askedPath(exchange)}`;
  return {
    status: 401,
    headers: HeaderMap.of([
      ['www-authenticate', `Bearer resource_metadata="${quotable(place)}"`],
      ['content-type', 'application/json'],
    ]),
    body: bytesBody(BODY),
    from: 'failure',
    failure,
  };
}

const BODY = Buffer.from(JSON.stringify({ error: 'unauthorized', error_description: 'JWT token required' }));

/** Where the configuration says the resource is. */
function resourceOrigin({ resourceMetadata }: OAuth): string | undefined {
  const resource = resourceMetadata['resource'];
  return typeof resource === 'string' ? URL.parse(resource)?.origin : undefined;
}

/** The path is the client's own. */
function quotable(text: string): string {
  return text.replace(/["\\]/g, (mark) => encodeURIComponent(mark));
}
