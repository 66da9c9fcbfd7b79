import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorFields, type Log } from '../../base/log.ts';
import { createUnread } from '../unread.ts';
import { sendAnswer } from './answer.ts';
import type { ResourceApiContext } from './call.ts';
import { parsePath } from './paths.ts';
import { route } from './routes.ts';
import { failure, noSuchPath } from './status-errors.ts';

/** Answers a request whose path belongs to the resource API. Never rejects. */
export type ResourceApi = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** An API as orchestrators have it, so that their clients can read and write the configuration. */
export function createResourceApi(given: ResourceApiContext, log: Log['warn']): ResourceApi {
  const context = { ...given, unread: createUnread(log) };
  return async (request, response) => {
    const url = request.url ?? '';
    const question = url.indexOf('?');
    const path = parsePath(question < 0 ? url : url.slice(0, question));
    const query = new URLSearchParams(question < 0 ? '' : url.slice(question + 1));
    try {
      const answer = path === undefined ? noSuchPath() : await route({ request, query, context }, path);
      // A body nobody read would be taken for the next request.
      if (hasBody(request) && !request.complete) response.setHeader('connection', 'close');
      sendAnswer(response, answer);
      request.resume();
    } catch (error) {
      if (request.destroyed && !request.complete) return;
      log('resource API request failed', { method: request.method, path: url, ...errorFields(error) });
      if (response.headersSent) response.destroy();
      else sendAnswer(response, failure(500, 'InternalError', 'internal error'));
    }
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
