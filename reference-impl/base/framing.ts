import type { Body } from './body.ts';
import type { HeaderMap } from './headers.ts';

/** The same fields with the `Content-Length` that is true for `body`: its length, or none when nobody knows it. */
export function withTrueLength(headers: HeaderMap, body: Body | undefined): HeaderMap {
  const declared = headers.get('content-length');
  if (body === undefined)
    return declared === undefined || declared === '0' ? headers : headers.remove('content-length');
  if (body.length === undefined) return declared === undefined ? headers : headers.remove('content-length');
  const length = String(body.length);
  return declared === length ? headers : headers.set('content-length', length);
}
