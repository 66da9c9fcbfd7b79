import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EffectiveBackend } from '../../../../attachment/policies/effective-policy.ts';
import type { BackendView } from '../../../../attachment/view.ts';
import { systemClock } from '../../../../base/clock.ts';
import type { Outcome } from '../../../../exchange/outcome.ts';
import { compileGlobal, decideGlobal } from '../../../../policies/traffic/rate-limit/global.ts';
import type { GlobalRateLimit } from '../../../../resources/proxy-policy/fields/rate-limit.ts';
import { createGrpcClients } from '../../../../upstream/grpc-clients.ts';
import {
  RateLimitRequestSchema,
  RateLimitResponse_Code as Code,
  RateLimitResponseSchema,
  RateLimitService,
  type RateLimitRequest,
  type RateLimitResponse,
} from '../../../../upstream/wire/rls_pb.js';
import { ORIGIN, SERVICES } from '../../../support/inert.ts';
import { exchangeOf } from '../../support/exchange.ts';

type Handle = grpc.handleUnaryCall<RateLimitRequest, RateLimitResponse>;

const METHOD = RateLimitService.method.shouldRateLimit;
const DEFINITION: grpc.ServiceDefinition = {
  [METHOD.localName]: {
    path: `/${RateLimitService.typeName}/${METHOD.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message: RateLimitRequest) => Buffer.from(toBinary(RateLimitRequestSchema, message)),
    requestDeserialize: (bytes: Buffer) => fromBinary(RateLimitRequestSchema, bytes),
    responseSerialize: (message: RateLimitResponse) => Buffer.from(toBinary(RateLimitResponseSchema, message)),
    responseDeserialize: (bytes: Buffer) => fromBinary(RateLimitResponseSchema, bytes),
  },
};

/** A rate limit server of another gRPC stack; gives its port. */
async function serve(handle: Handle): Promise<number> {
  const server = new grpc.Server();
  server.addService(DEFINITION, { [METHOD.localName]: handle });
  onTestFinished(() => server.forceShutdown());
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}

/** Decides about one request, over the connections the proxy has. */
async function decide(
  port: number,
  field: Partial<GlobalRateLimit> = {},
  policies: EffectiveBackend = { sources: {} },
): Promise<Outcome> {
  const clients = createGrpcClients(systemClock);
  onTestFinished(clients.close);
  const server: BackendView = {
    name: 'default/limits',
    key: 'ProxyBackend/default/limits',
    type: 'static',
    protocol: 'http',
    endpoints: [{ kind: 'tcp', host: '127.0.0.1', port }],
    policies,
    mirrors: [],
  };
  const exchange = exchangeOf({ headers: { 'x-user': 'alice' } });
  const references = { ...exchange.view.references, backend: () => server };
  const descriptors = [{ entries: [{ name: 'user', expression: "request.headers['x-user']" }], cost: '2' }];
  const policy = compileGlobal({ backendRef: { name: 'limits' }, domain: 'shop', descriptors, ...field }, ORIGIN);
  const reached = { ...exchange, view: { ...exchange.view, references } };
  return decideGlobal(reached, policy, { ...SERVICES, grpc: clients });
}

describe('a server of another gRPC stack', () => {
  test('understands the question, and its answer is understood', async () => {
    const asked: RateLimitRequest[] = [];
    const port = await serve(({ request }, answer) => {
      asked.push(request);
      answer(null, create(RateLimitResponseSchema, { overallCode: Code.OVER_LIMIT, rawBody: Buffer.from('later') }));
    });
    expect(await decide(port)).toMatchObject({ kind: 'answer', answer: { status: 429 } });
    expect(asked).toMatchObject([
      { domain: 'shop', hitsAddend: 0, descriptors: [{ entries: [{ key: 'user', value: 'alice' }], hitsAddend: 2n }] },
    ]);
  });

  test('its errors are failures', async () => {
    const port = await serve((_, answer) => answer({ code: grpc.status.RESOURCE_EXHAUSTED, details: 'busy' }));
    expect(await decide(port, { failureMode: 'FailOpen' })).toMatchObject({ kind: 'continue' });
    expect(await decide(port)).toMatchObject({ kind: 'answer', answer: { status: 500 } });
  });

  test('its silence is a failure once its time is over', async () => {
    const port = await serve(() => {});
    const impatient = { http: { requestTimeout: '50ms' }, sources: {} };
    expect(await decide(port, { failureMode: 'FailOpen' }, impatient)).toMatchObject({ kind: 'continue' });
  });

  test('it is not called without the certificates that its settings name', async () => {
    let calls = 0;
    const port = await serve((_, answer) => {
      calls += 1;
      answer(null, create(RateLimitResponseSchema, { overallCode: Code.OK }));
    });
    const unusable = { tls: { caCertificateRefs: [{ name: 'none' }] }, sources: {} };
    expect(await decide(port, {}, unusable)).toMatchObject({ kind: 'answer', answer: { status: 500 } });
    expect(await decide(port, { failureMode: 'FailOpen' }, unusable)).toMatchObject({ kind: 'continue' });
    expect(calls).toBe(0);
  });
});
