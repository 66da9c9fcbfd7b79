import type { Answer, Request as HttpRequest } from '../../exchange/exchange.ts';
import type { Asked, Seat } from './asked.ts';
import type { Message } from './message.ts';
import { refuseMcp } from './refusals.ts';

/** Revisions of the protocol that have sessions, the oldest first. */
const SESSIONED = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** The revision without: every request says who asks, and in which revision. docs/decisions/mcp-per-request.md */
export const PER_REQUEST = '2026-07-28';

/** All that clients may speak (MCP-044), the newest first. */
export const VERSIONS: readonly string[] = [PER_REQUEST, ...SESSIONED.toReversed()];

/** Whether a client speaks the revision without sessions: its field says so. */
export function saysPerRequest({ headers }: HttpRequest): boolean {
  return headers.get('mcp-protocol-version') === PER_REQUEST;
}

/** Whether that revision is spoken with a target. */
export function isPerRequest({ revision }: Seat): boolean {
  return revision === PER_REQUEST;
}

/** The revision with sessions that a client asks for; the newest of them where it asks for another one. */
export function sessionedVersion(requested: unknown): string {
  return SESSIONED.find((version) => version === requested) ?? LATEST;
}

const LATEST = '2025-11-25' satisfies (typeof SESSIONED)[number];

/**
 * Refuses a request that names a revision which has no sessions or which nobody here speaks; without the field there is
 * nothing to refuse.
 */
export function checkVersion({ exchange }: Asked, message: Message | undefined): Answer | undefined {
  const requested = exchange.request.headers.get('mcp-protocol-version');
  if (requested === undefined || SESSIONED.some((version) => version === requested)) return undefined;
  const id = message?.kind === 'request' ? message.id : undefined;
  const isInitialize = message?.kind === 'request' && message.method === 'initialize';
  const data = isInitialize ? undefined : { supported: VERSIONS, requested };
  return refuseMcp('versionUnknown', { id, detail: requested, data });
}
