import type { HeaderMap } from '../base/headers.ts';
import type { Received, Listened } from '../exchange/exchange.ts';

/**
 * FRONT-023, FRONT-024, FRONT-039: the fields with names in the case in which HTTP/1 sends them, to the backend and to the client. Preserve
 * leaves each name as whoever wrote it last: the other side, or a policy (FRONT-026). docs/decisions/header-case.md
 */
export function inHeaderCase(exchange: Received | Listened, headers: HeaderMap): HeaderMap {
  const { http1HeaderCase = 'Lowercase' } =
    ('listener' in exchange ? exchange.listener.frontend.http : undefined) ?? {};
  return http1HeaderCase === 'Preserve' ? headers : headers.withLowerCaseNames();
}
