import type { ServeHttp } from '../http-exchange.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { lendCloudB } from './lending.ts';
import type { CloudBScript } from './script.ts';

/** Starts the directory of cloud B. Rejects when its port cannot be bound. */
export async function startCloudBMock(
  { tls }: CloudBScript,
  options: MockOptions,
  serveHttp: ServeHttp,
): Promise<Mock> {
  const mock = await serveHttp({ kind: 'http', tls }, options, async (request, arrived) => {
    await arrived;
    return lendCloudB(request) ?? { status: 404, body: 'no such endpoint' };
  });
  return { ...mock, kind: 'cloud-b' };
}
