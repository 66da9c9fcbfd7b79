import { HeaderMap } from '../../base/headers.ts';
import { parseOrigin, type Origin } from '../../base/origin.ts';
import type { Answer, ReplyHeader, Request } from '../../exchange/exchange.ts';
import { addReplyHeaders, type Outcome } from '../../exchange/outcome.ts';
import type { CORS } from '../../resources/proxy-policy/fields/cors.ts';
import type { Policy } from '../policy.ts';

export interface CompiledCORS {
  readonly allowsEveryOrigin: boolean;
  /** The host of each may hold `*`. */
  readonly origins: readonly Origin[];
  readonly field: CORS;
}

type Fields = readonly ReplyHeader[];

/** Tells browsers which other origins may read answers, and answers their preflights. docs/decisions/cors.md */
export const cors: Policy<CORS, CompiledCORS> = {
  compile: (field) => {
    const { allowOrigins = [] } = field;
    return {
      allowsEveryOrigin: allowOrigins.includes('*'),
      origins: allowOrigins.flatMap((text) => parseOrigin(text) ?? []),
      field,
    };
  },

  request: ({ request, handover }, policy) => {
    const origin = request.headers.get('origin');
    const passing = { kind: 'change', handover: addReplyHeaders(handover, [VARIES]) } as const;
    if (origin === undefined) return passing;
    if (!isAllowed(origin, policy)) return isPreflight(request) ? answerWith([VARIES]) : passing;
    const { field } = policy;
    const known = [...readable(origin, field), VARIES];
    if (request.method === 'OPTIONS') return answerWith([...known, ...preflightFields(request, field)]);
    return { kind: 'change', handover: addReplyHeaders(handover, known) };
  },
};

/** What a cache keeps for one origin, or for none, is no answer to another. */
const VARIES: ReplyHeader = ['vary', 'Origin'];

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && (headers.get('access-control-request-method') ?? '') !== '';
}

function isAllowed(text: string, { allowsEveryOrigin, origins }: CompiledCORS): boolean {
  if (allowsEveryOrigin) return true;
  const origin = parseOrigin(text);
  return origin !== undefined && origins.some((pattern) => matches(pattern, origin));
}

function matches(pattern: Origin, { scheme, host, port }: Origin): boolean {
  return pattern.scheme === scheme && pattern.port === port && globMatches(pattern.host, host);
}

/** `*` stands for any characters. Reads the text once, whatever the pattern is. */
function globMatches(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from + last.length <= text.length;
}

/** What every answer to an allowed origin carries. The origin is named, never `*`, so credentials can be allowed. */
function readable(origin: string, { allowCredentials, exposeHeaders = [] }: CORS): Fields {
  return [
    ['access-control-allow-origin', origin],
    ...(allowCredentials === true ? [['access-control-allow-credentials', 'true'] as const] : []),
    ...fieldUnlessEmpty('access-control-expose-headers', exposeHeaders.join(',')),
  ];
}

const DEFAULT_MAX_AGE = 5;

function preflightFields({ headers }: Request, field: CORS): Fields {
  const { allowMethods = [], allowHeaders = [], maxAge = DEFAULT_MAX_AGE } = field;
  const wanted = headers
    .get('access-control-request-headers')
    ?.split(',')
    .map((name) => name.trim());
  return [
    ...fieldUnlessEmpty(
      'access-control-allow-methods',
      allowedNames(allowMethods, headers.get('access-control-request-method'), field),
    ),
    ...fieldUnlessEmpty('access-control-allow-headers', allowedNames(allowHeaders, wanted?.join(', '), field)),
    ['access-control-max-age', String(maxAge)],
  ];
}

/** A wildcard allows what was asked for; `*` itself means nothing to browsers once credentials are allowed. */
function allowedNames(list: readonly string[], asked: string | undefined, { allowCredentials }: CORS): string {
  if (!list.includes('*')) return list.join(',');
  return asked ?? (allowCredentials === true ? '' : '*');
}

function fieldUnlessEmpty(name: string, value: string): Fields {
  return value === '' ? [] : [[name, value]];
}

function answerWith(fields: Fields): Outcome {
  const answer: Answer = { status: 200, headers: HeaderMap.of(fields), body: undefined, from: 'policy' };
  return { kind: 'answer', answer };
}
