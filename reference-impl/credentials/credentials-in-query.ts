import type { BackendAuth } from '../resources/proxy-policy/fields/auth/backend-auth.ts';
import { queryParameter } from './query-parameter.ts';

/** Of a query the pieces in which policies put the credentials of the proxy (BAUTH-003, BAUTH-033); empty where there are none. */
export function credentialsInQuery(query: string, auth: BackendAuth | undefined): string {
  if (auth === undefined || query === '') return '';
  const { location, oauthTokenExchange, jwtSign, credentials = [] } = auth;
  const places = [location, oauthTokenExchange?.location, jwtSign?.location, ...credentials.map((one) => one.location)];
  const names = new Set(places.flatMap((place) => place?.queryParameter?.name ?? []));
  const isCredential = (piece: string): boolean => names.has(queryParameter(piece)?.[0] ?? '');
  return query.split('&').filter(isCredential).join('&');
}
