import type { Answer } from '../../exchange/exchange.ts';
import type { Asked } from './asked.ts';
import type { Message } from './message.ts';
import { refuseMcp } from './refusals.ts';

/** Revisions of the protocol that have sessions. */
export const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** Refuses a request that names a revision nobody here speaks; without the field there is nothing to refuse. */
export function checkVersion({ exchange }: Asked, message: Message | undefined): Answer | undefined {
  const requested = exchange.request.headers.get('mcp-protocol-version');
  if (requested === undefined || VERSIONS.some((version) => version === requested)) return undefined;
  const id = message?.kind === 'request' ? message.id : undefined;
  const isInitialize = message?.kind === 'request' && message.method === 'initialize';
  const data = isInitialize ? undefined : { supported: VERSIONS, requested };
  return refuseMcp('versionUnknown', { id, detail: requested, data });
}
