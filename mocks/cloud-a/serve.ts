import { behindProxy } from '../behind-proxy.ts';
import { signatureProblem } from '../cloud-a-signature.ts';
import { jsonReply } from '../http-exchange.ts';
import type { HttpReply, HttpRequest, ServeHttp } from '../http-exchange.ts';
import { lentKeys } from '../lent-tokens.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { lendCloudA } from './lending.ts';
import type { CloudAScript } from './script.ts';

/** Starts a service of cloud A. Rejects when its port cannot be bound. */
export async function startCloudAMock(script: CloudAScript, options: MockOptions, serveHttp: ServeHttp): Promise<Mock> {
  const { behind } = script;
  const tls = behind === undefined ? script.tls : (script.tls ?? { names: [behind.replace(/:\d+$/, '')] });
  const inner = behind === undefined ? options : { ...options, port: 0 };
  const mock = await serveHttp({ kind: 'http', tls }, inner, async (request, arrived) => {
    await arrived;
    return (await lendCloudA(request)) ?? serve(request, script);
  });
  const service = { ...mock, kind: 'cloud-a' };
  return behind === undefined ? service : behindProxy(service, behind, undefined, options);
}

/** Whoever signs as the script wants is told so. */
async function serve(request: HttpRequest, script: CloudAScript): Promise<HttpReply> {
  const { signed = 'lent', region = 'us-east-1', service = 'execute-api' } = script;
  const token = request.headers.find(([name]) => name.toLowerCase() === 'x-amz-security-token')?.[1];
  const keys = signed === 'lent' ? lentKeys(token ?? '') : signed;
  const problem =
    keys === undefined ? 'Missing Authentication Token' : await signatureProblem(request, { ...keys, region, service });
  return problem === undefined
    ? jsonReply('{"signed":true}')
    : jsonReply(JSON.stringify({ message: problem }), { status: 403 });
}
