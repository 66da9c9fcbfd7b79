import { pathOf } from '../target.ts';
import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { containerCredentials } from './container-credentials.ts';
import { instanceMetadata } from './instance-metadata.ts';
import { tokenService } from './token-service.ts';

/** Answers a request to one of the places where cloud A lends keys; undefined for a request to anything else. */
export async function lendCloudA(request: HttpRequest): Promise<HttpReply | undefined> {
  const path = pathOf(request.target);
  if (path.startsWith('/latest/')) return instanceMetadata(request);
  if (path === '/container/credentials') return containerCredentials(request);
  return request.method === 'POST' && path === '/' && asksForRole(request) ? tokenService(request) : undefined;
}

/** Wherever in the form that stands: its members have no order. */
function asksForRole({ body }: HttpRequest): boolean {
  return new URLSearchParams(body.toString()).get('Action')?.startsWith('AssumeRole') === true;
}
