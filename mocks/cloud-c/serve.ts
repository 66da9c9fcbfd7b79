import type { ServeHttp } from '../http-exchange.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { accountCredentials, lendCloudC, userCredentials } from './lending.ts';
import type { CloudCScript } from './script.ts';

/** Starts who gives tokens of cloud C. Rejects when its port cannot be bound. */
export async function startCloudCMock(
  { account = 'caller', tls }: CloudCScript,
  options: MockOptions,
  serveHttp: ServeHttp,
): Promise<Mock> {
  const mock = await serveHttp({ kind: 'http', tls }, options, async (request, arrived) => {
    await arrived;
    return lendCloudC(request) ?? { status: 404, body: 'no such endpoint' };
  });
  const tokenUrl = `${tls === undefined ? 'http' : 'https'}://${mock.host}:${mock.port}/token`;
  const variables = {
    credentials: accountCredentials(account, tokenUrl),
    userCredentials: userCredentials(account, tokenUrl),
  };
  return { ...mock, kind: 'cloud-c', variables };
}
