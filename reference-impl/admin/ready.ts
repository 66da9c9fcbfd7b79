import { answerText, type AdminContext, type AdminRequest } from './endpoint.ts';

/** 200 `ok` where API servers tell it, with the same 500 as `ready`. `kubectl get --raw /readyz` */
export function readyz(exchange: AdminRequest, context: AdminContext): void {
  if ((context.pending?.() ?? []).length > 0) ready(exchange, context);
  else answerText(exchange.response, 200, 'ok');
}

/** 200 `ready`, or 500 naming what the proxy still waits for. */
export function ready({ response }: AdminRequest, context: AdminContext): void {
  const pending = context.pending?.() ?? [];
  if (pending.length === 0) answerText(response, 200, 'ready');
  else answerText(response, 500, `not ready, pending: ${pending.join(', ')}`);
}
