import { HeaderMap } from '../../base/headers.ts';
import type { Request, Routed } from '../../exchange/exchange.ts';
import { refusal } from '../../exchange/refusal.ts';
import { hostWithoutPort } from '../../exchange/request-state.ts';
import type { RequestRedirect } from '../../resources/gateway-api/http-route-filter.ts';
import { modifyTarget } from '../modify-path.ts';
import type { Policy } from '../policy.ts';

/** Answers with a redirect: absolute Location, empty body, 302 unless the filter says otherwise. */
export const requestRedirect: Policy<RequestRedirect, RequestRedirect, Routed> = {
  compile: (field) => field,

  request: ({ request, rule }, filter) => {
    const to = location(request, filter, rule.matchedPrefix);
    if (to === undefined)
      return { kind: 'answer', answer: refusal('filterFailed', 'the rule has no path prefix to replace') };
    const headers = HeaderMap.of([['location', to]]);
    return { kind: 'answer', answer: { status: filter.statusCode ?? 302, headers, body: undefined, from: 'policy' } };
  },
};

/** Where the redirect leads; undefined when its path cannot be computed. The query is kept. */
export function location(
  request: Request,
  filter: RequestRedirect,
  matchedPrefix: string | undefined,
): string | undefined {
  const target = filter.path === undefined ? request.target : modifyTarget(request.target, filter.path, matchedPrefix);
  if (target === undefined) return undefined;
  const scheme = filter.scheme ?? request.scheme;
  const host = filter.hostname ?? hostWithoutPort(request.authority);
  const port = redirectPort(request, filter);
  return `${scheme}://${host}${port === undefined || port === DEFAULT_PORT[scheme] ? '' : `:${port}`}${target}`;
}

const DEFAULT_PORT = { http: '80', https: '443' } as const;

/** The filter's port; else, once it names a scheme, that scheme's own; else the one the client used. */
function redirectPort({ authority }: Request, { port, scheme }: RequestRedirect): string | undefined {
  if (port !== undefined) return String(port);
  if (scheme !== undefined) return undefined;
  return authority.slice(hostWithoutPort(authority).length + 1) || undefined;
}
