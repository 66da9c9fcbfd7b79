import { isSameOrigin, parseOrigin, type Origin } from '../../base/origin.ts';
import type { Request } from '../../exchange/exchange.ts';
import { CONTINUE } from '../../exchange/outcome.ts';
import { refusal } from '../../exchange/refusal.ts';
import type { CSRF } from '../../resources/proxy-policy/fields/csrf.ts';
import type { Policy } from '../policy.ts';

export interface CompiledCSRF {
  readonly additionalOrigins: readonly Origin[];
}

/** Refuses requests that a page of another origin made a browser send (CSRF-003). docs/decisions/csrf.md */
export const csrf: Policy<CSRF, CompiledCSRF> = {
  compile: ({ additionalOrigins = [] }) => ({
    additionalOrigins: additionalOrigins.flatMap((text) => parseOrigin(text) ?? []),
  }),

  request: ({ request }, { additionalOrigins }) =>
    mayPass(request, additionalOrigins) ? CONTINUE : { kind: 'answer', answer: refusal('csrfFailed') },
};

/** CSRF-006: methods that change nothing pass. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What `Sec-Fetch-Site` says of a request that no other site caused. */
const OWN_SITE: ReadonlySet<string> = new Set(['same-origin', 'none']);

function mayPass(request: Request, additionalOrigins: readonly Origin[]): boolean {
  const { method, headers } = request;
  if (SAFE_METHODS.has(method)) return true;
  const origins = headers.getAll('origin');
  // CSRF-001, CSRF-002, CSRF-004
  if (origins.length === 1 && isAllowed(origins[0] ?? '', destination(request), additionalOrigins)) return true;
  const site = headers.getAll('sec-fetch-site');
  // A browser sets it and no page can: it is believed where it is present.
  if (site.length > 0) return site.every((value) => OWN_SITE.has(value));
  // CSRF-006: whoever sends no Origin is no browser.
  return origins.length === 0;
}

/** CSRF-005: scheme, host and port together. The origin `null` belongs to nobody. */
function isAllowed(text: string, own: Origin | undefined, additionalOrigins: readonly Origin[]): boolean {
  const origin = parseOrigin(text);
  if (origin === undefined) return false;
  return (own !== undefined && isSameOrigin(origin, own)) || additionalOrigins.some((one) => isSameOrigin(origin, one));
}

function destination({ scheme, authority }: Request): Origin | undefined {
  return parseOrigin(`${scheme}://${authority}`);
}
