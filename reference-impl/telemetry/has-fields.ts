import type { Listened } from '../exchange/exchange.ts';
import { compiledFrontend } from './compile-frontend.ts';

/** Whether an entry or a span may tell of this request: what only they say need not be kept for any other. */
export function hasFields({ listener, record }: Listened): boolean {
  if (record === undefined) return false;
  return record.trace !== undefined || compiledFrontend(listener.frontend)?.accessLog !== undefined;
}
