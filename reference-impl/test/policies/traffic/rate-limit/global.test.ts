import { Buffer } from 'node:buffer';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code as RpcCode, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { BackendView } from '../../../../attachment/view.ts';
import { ProxyError } from '../../../../base/proxy-error.ts';
import type { Routed } from '../../../../exchange/exchange.ts';
import type { Outcome } from '../../../../exchange/outcome.ts';
import { compileGlobal, decideGlobal } from '../../../../policies/traffic/rate-limit/global.ts';
import type { GlobalRateLimit, RateLimitDescriptor } from '../../../../resources/proxy-policy/fields/rate-limit.ts';
import type { Services } from '../../../../credentials/services.ts';
import {
  type RateLimitRequest,
  RateLimitResponse_Code as Code,
  type RateLimitResponseSchema,
  RateLimitService,
} from '../../../../upstream/wire/rls_pb.js';
import { ORIGIN, SERVICES } from '../../../support/inert.ts';
import { after, exchangeOf, fields, textOf, type Given } from '../../support/exchange.ts';

type Answer = MessageInitShape<typeof RateLimitResponseSchema>;

const SERVER: BackendView = {
  name: 'default/limits',
  key: 'ProxyBackend/default/limits',
  type: 'static',
  protocol: 'http',
  endpoints: [{ kind: 'tcp', host: '127.0.0.1', port: 1 }],
  policies: { sources: {} },
  mirrors: [],
};

interface Asked {
  readonly outcome: Outcome;
  readonly exchange: Routed;
  readonly questions: readonly RateLimitRequest[];
}

/** Decides about one request with a server that lives in the test. */
async function decide(
  field: Partial<GlobalRateLimit>,
  server: () => Answer | Promise<Answer>,
  given: Given = {},
): Promise<Asked> {
  const questions: RateLimitRequest[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(RateLimitService, {
      shouldRateLimit: (question) => {
        questions.push(question);
        return server();
      },
    });
  });
  const services: Services = {
    ...SERVICES,
    grpc: { clientFor: (service) => createClient(service, transport), close: () => {} },
  };
  const exchange = reaching(exchangeOf(given));
  const policy = compileGlobal({ backendRef: { name: 'limits' }, domain: 'd', descriptors: [USER], ...field }, ORIGIN);
  return { outcome: await decideGlobal(exchange, policy, services), exchange, questions };
}

const USER: RateLimitDescriptor = { entries: [{ name: 'user', expression: "request.headers['x-user']" }] };

function reaching(exchange: Routed): Routed {
  const references = { ...exchange.view.references, backend: () => SERVER };
  return { ...exchange, view: { ...exchange.view, references } };
}

const ok = (): Answer => ({ overallCode: Code.OK });
const ALICE: Given = { headers: { 'x-user': 'alice' } };

describe('the question', () => {
  test('an entry without a value takes its descriptor along, not the others', async () => {
    const fixed: RateLimitDescriptor = { entries: [{ name: 'fixed', expression: "'x'" }] };
    const both: RateLimitDescriptor = { entries: [...fixed.entries, ...USER.entries] };
    const { questions } = await decide({ descriptors: [both, fixed] }, ok);
    expect(questions).toMatchObject([{ descriptors: [{ entries: [{ key: 'fixed', value: 'x' }] }] }]);
  });

  test.each(["request.headers['none']", '[1]', 'null', 'no such expression'])(
    'nothing is asked when no descriptor has a value: %s',
    async (expression) => {
      const { outcome, questions } = await decide({ descriptors: [{ entries: [{ name: 'a', expression }] }] }, () => ({
        overallCode: Code.OVER_LIMIT,
      }));
      expect(outcome.kind).toBe('continue');
      expect(questions).toEqual([]);
    },
  );

  test('tokens are known when the request is complete: the question is whether any are left', async () => {
    const tokens: RateLimitDescriptor = { ...USER, unit: 'Tokens', cost: 'llm.totalTokens' };
    const { outcome, questions } = await decide({ descriptors: [USER, tokens] }, ok, ALICE);
    const entries = [{ key: 'user', value: 'alice' }];
    expect(questions).toMatchObject([
      {
        descriptors: [{ entries }, { entries, hitsAddend: 0n }],
      },
    ]);
    expect(outcome).toMatchObject({ kind: 'change' });
    const asked = outcome.kind === 'change' ? [...(outcome.handover?.tokenDescriptors?.values() ?? [])] : [];
    expect(asked).toEqual([[{ descriptor: 1, entries }]]);
  });

  test.each<[string, bigint | undefined]>([
    ['3', 3n],
    ['0', 0n],
    ['2u', 2n],
    ['1.9', 1n],
    ['-1', undefined],
    ["'3'", undefined],
    ['1.0 / 0.0', undefined],
    ['true', undefined],
    ["int(request.headers['none'])", undefined],
  ])('cost %s', async (cost, hitsAddend) => {
    const { questions } = await decide({ descriptors: [{ ...USER, cost }] }, ok, ALICE);
    expect(questions.map(({ descriptors }) => descriptors[0]?.hitsAddend)).toEqual([hitsAddend]);
    expect(questions[0]?.hitsAddend).toBe(0);
  });

  test('a body that was read for an entry is still there', async () => {
    const descriptors = [{ entries: [{ name: 'size', expression: 'string(size(request.body))' }] }];
    const { outcome, exchange, questions } = await decide({ descriptors }, ok, { method: 'POST', body: 'hello' });
    expect(questions[0]?.descriptors[0]?.entries[0]?.value).toBe('5');
    expect(await textOf(after(exchange, outcome).request.body)).toBe('hello');
  });
});

describe('the answer', () => {
  test('OK may set fields of the request, and add fields to the answer', async () => {
    const { outcome, exchange } = await decide(
      {},
      () => ({
        overallCode: Code.OK,
        requestHeadersToAdd: [
          { key: 'X-User', value: 'checked' },
          { key: 'x-bytes', rawValue: Buffer.from('raw') },
          { key: 'content-length', value: '99' },
          { key: ':method', value: 'PUT' },
          { key: 'x-split', value: 'a\r\nb: c' },
        ],
        responseHeadersToAdd: [{ key: 'x-left', value: '4' }],
      }),
      ALICE,
    );
    const { request, handover } = after(exchange, outcome);
    expect(request.method).toBe('GET');
    expect(fields(request.headers)).toEqual({ 'X-User': 'checked', 'x-bytes': 'raw' });
    expect(handover.replyHeaders).toEqual([['x-left', '4']]);
  });

  test.each([Code.OVER_LIMIT, Code.UNKNOWN])('code %s is 429 with the words of the server', async (overallCode) => {
    const { outcome } = await decide(
      {},
      () => ({
        overallCode,
        rawBody: Buffer.from('slow down'),
        responseHeadersToAdd: [
          { key: 'retry-after', value: '7' },
          { key: ':status', value: '200' },
          { key: 'content-length', value: '1' },
        ],
      }),
      ALICE,
    );
    if (outcome.kind !== 'answer') throw new Error(outcome.kind);
    expect(outcome.answer).toMatchObject({ status: 429, from: 'policy' });
    expect(fields(outcome.answer.headers)).toEqual({ 'retry-after': '7' });
    expect(await textOf(outcome.answer.body)).toBe('slow down');
  });

  test('a refusal without words has no body', async () => {
    const { outcome } = await decide({}, () => ({ overallCode: Code.OVER_LIMIT }), ALICE);
    expect(outcome).toMatchObject({ kind: 'answer', answer: { status: 429, body: undefined } });
  });
});

function fails(): never {
  throw new ConnectError('later', RpcCode.Unavailable);
}

describe('without an answer', () => {
  test.each(['FailClosed', undefined] as const)('%s denies', async (failureMode) => {
    const { outcome } = await decide(failureMode === undefined ? {} : { failureMode }, fails, ALICE);
    expect(outcome).toMatchObject({ kind: 'answer', answer: { status: 500, failure: { code: 'rateLimitFailed' } } });
  });

  test('FailOpen goes on with the request as it was', async () => {
    const { outcome } = await decide({ failureMode: 'FailOpen' }, fails, ALICE);
    expect(outcome.kind).toBe('continue');
  });

  test('a client that left is no failure of the server', async () => {
    const exchange = reaching(exchangeOf(ALICE));
    const policy = compileGlobal(
      { backendRef: { name: 'limits' }, domain: 'd', descriptors: [USER], failureMode: 'FailOpen' },
      ORIGIN,
    );
    exchange.cancellation.cancel(new ProxyError('clientGone'));
    await expect(decideGlobal(exchange, policy, SERVICES)).rejects.toMatchObject({ code: 'clientGone' });
  });
});
