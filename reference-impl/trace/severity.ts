import type { Severity, TraceMessage } from './events.ts';

/**
 * How serious a message is when its sender does not say.
 * TRACE-020: everything a successful request reports is `info`, an allowed authorization too.
 */
export function severityOf(message: TraceMessage): Severity {
  if (message.type === 'routeSelection') return message.selectedRoute === null ? 'error' : 'info';
  if (message.type === 'authorizationResult') return message.result === 'deny' ? 'error' : 'info';
  if (message.type === 'backendCallResult') return severityOfCall(message.status, message.error);
  return 'info';
}

function severityOfCall(status: number | null, error: string | null): Severity {
  if (error !== null || status === null || status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}
