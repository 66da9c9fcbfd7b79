import type { Routed } from '../../exchange/exchange.ts';
import { refusal } from '../../exchange/refusal.ts';
import type { URLRewrite } from '../../resources/gateway-api/http-route-filter.ts';
import { modifyTarget } from '../modify-path.ts';
import type { Policy } from '../policy.ts';

/** Replaces host and path of the request that goes upstream. */
export const urlRewrite: Policy<URLRewrite, URLRewrite, Routed> = {
  compile: (field) => field,

  request: ({ request, rule }, { hostname, path }) => {
    const target = path === undefined ? request.target : modifyTarget(request.target, path, rule.matchedPrefix);
    if (target === undefined)
      return { kind: 'answer', answer: refusal('filterFailed', 'the rule has no path prefix to replace') };
    return { kind: 'change', request: { ...request, target, authority: hostname ?? request.authority } };
  },
};
