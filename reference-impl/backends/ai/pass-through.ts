import { splitTarget } from '../../exchange/request-state.ts';
import type { Prepared } from '../backend.ts';
import { http } from '../http.ts';
import type { AiRequest } from './ai-request.ts';
import { untouchedTarget, withProviderHeaders, withQuery } from './providers/destination.ts';

/** ROUTES-009: as it is, but for its host and the form of the credential. */
export function passThrough(asked: AiRequest): Prepared {
  return sendTo(untouchedTarget(asked.destination, asked.exchange.request.target), asked);
}

/** ROUTES-008: the provider's own list of its models. */
export function listModels(asked: AiRequest): Prepared {
  const { provider, settings } = asked.destination;
  const path = `${provider.base ?? '/v1'}/models`;
  return sendTo(settings.path ?? withQuery(path, splitTarget(asked.exchange.request.target).query), asked);
}

function sendTo(target: string, { exchange, destination, services }: AiRequest): Prepared {
  const sent = { ...exchange, request: { ...exchange.request, target } };
  return http.prepare(withProviderHeaders(sent, destination), services);
}
