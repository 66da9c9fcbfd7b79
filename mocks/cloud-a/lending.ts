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
  const isForm = request.body.toString('latin1', 0, 200).includes('Action=AssumeRole');
  return request.method === 'POST' && path === '/' && isForm ? tokenService(request) : undefined;
}
