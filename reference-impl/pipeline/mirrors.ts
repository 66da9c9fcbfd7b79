import type { MirrorView } from '../attachment/backends/backend-view.ts';
import type { BackendView } from '../attachment/view.ts';
import type { Services } from '../credentials/services.ts';
import { Cancellation } from '../base/cancellation.ts';
import { errorFields } from '../base/log.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Targeted } from '../exchange/exchange.ts';
import { connection } from '../upstream/connection.ts';
import { endpointText, pickEndpoint } from '../upstream/endpoints.ts';
import type { Response } from '../upstream/http-call.ts';
import { httpVersion } from '../upstream/http-version.ts';
import { reportedCall } from '../trace/nested-call.ts';
import { inHeaderCase } from './header-case.ts';

/** Milliseconds after which nobody waits for the answer to a copy any more. */
const PATIENCE = 15_000;

/**
 * Sends copies of the request, without its body, to the mirrors of the rule and of the backend. Nobody waits for them:
 * what goes wrong is logged, and answers are thrown away.
 */
export function fireMirrors(exchange: Targeted, services: Services): void {
  const { rule, backend, request } = exchange;
  // Of a tunnel there is nothing to copy: what a mirror were sent would open one to it.
  if (rule.mirrors.length + backend.mirrors.length === 0 || request.upgrade === 'tunnel') return;
  for (const mirror of [...rule.mirrors, ...backend.mirrors]) {
    if (services.random() >= mirror.share) continue;
    sendCopy(exchange, mirror, services).catch((error: unknown) => {
      services.log.warn('mirror failed', { route: rule.key, ...errorFields(error) });
    });
  }
}

async function sendCopy(exchange: Targeted, mirror: MirrorView, services: Services): Promise<void> {
  const backend = usable(mirror);
  const { dial, requestTimeout = PATIENCE } = connection(backend.policies, exchange.view.references);
  const cancellation = new Cancellation();
  const stop = exchange.clock.after(PATIENCE, () => {
    cancellation.cancel(new ProxyError('requestTimeout'));
  });
  try {
    const endpoint = pickEndpoint(backend.endpoints, services.random);
    const headers = inHeaderCase(exchange, exchange.request.headers.remove('content-length'));
    const request = { ...exchange.request, headers, body: undefined };
    const version = httpVersion({ backend, request, dial });
    const send = (): Promise<Response> =>
      services.http.send({ endpoint, dial, version, request, requestTimeout, cancellation });
    const { body } = await reportedCall(
      exchange,
      'mirror',
      { target: endpointText(endpoint), request },
      send,
      ({ status }) => status,
    );
    // Reading to the end leaves the connection usable.
    while ((await body?.read()) !== undefined);
  } finally {
    stop();
  }
}

function usable({ backend }: MirrorView): BackendView {
  if ('unresolved' in backend) throw new ProxyError('backendNotFound', backend.message);
  return backend;
}
