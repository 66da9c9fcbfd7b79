import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import type { BackendView } from '../../../../attachment/view.ts';
import { converse } from '../../../../backends/ai/formats/converse.ts';
import { ai } from '../../../../backends/ai/handle-ai.ts';
import { parseObject } from '../../../../backends/json.ts';
import { vendor7 } from '../../../../backends/ai/providers/vendor7.ts';
import { HeaderMap } from '../../../../base/headers.ts';
import { readBody } from '../../../../base/read-body.ts';
import type { Targeted } from '../../../../exchange/exchange.ts';
import { exchangeOf } from '../../../policies/support/exchange.ts';
import { SERVICES } from '../../../support/inert.ts';

const { body } = vendor7({ region: 'eu-west-3', guardrail: { identifier: 'g', version: '1' } });
const call = { model: 'm', streaming: false };

describe('the body for vendor7', () => {
  test('has the guardrail, and what the client calls its request by', () => {
    const headers = HeaderMap.of([['x-bedrock-metadata', '{"team":"blue","run":7,"deep":{},"list":[]}']]);
    expect(body?.({ messages: [] }, { ...call, format: 'converse' }, headers)).toEqual({
      messages: [],
      guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: '1', trace: 'enabled' },
      requestMetadata: { team: 'blue', run: '7' },
    });
  });

  test.each([['nonsense'], ['[]'], ['{"deep":{}}']])('has nothing of metadata that is %s', (metadata) => {
    const headers = HeaderMap.of([['x-bedrock-metadata', metadata]]);
    expect(body?.({}, { ...call, format: 'converse' }, headers)).not.toHaveProperty('requestMetadata');
  });

  test('is left alone for the formats of the models themselves', () => {
    const request = { inputText: 'a' };
    expect(body?.(request, { ...call, format: 'invoke' }, HeaderMap.EMPTY)).toBe(request);
  });

  test('of a count holds what is counted, with the version of its API', () => {
    const asked = body?.(
      { max_tokens: 1 },
      { ...call, format: 'count-tokens' },
      HeaderMap.of([['anthropic-version', 'v']]),
    );
    const text = JSON.stringify(asked).replace(/^.*"body":"([^"]+)".*$/, '$1');
    expect(parseObject(Buffer.from(text, 'base64').toString())).toEqual({ max_tokens: 1, anthropic_version: 'v' });
  });

  test('that ranks names the model by where it is, unless the client does', () => {
    expect(arn('r')).toContain('"arn:aws:bedrock:eu-west-3::foundation-model/r"');
    expect(arn('arn:aws:bedrock:x::foundation-model/r')).toContain('"arn:aws:bedrock:x::foundation-model/r"');
  });
});

test('the tokens of vendor7 are counted with those of its cache', () => {
  const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 10, cacheReadInputTokens: 1, cacheWriteInputTokens: 2 };
  const counted = { inputTokens: 6, outputTokens: 4, totalTokens: 10, providerInputTokens: 3, providerTotalTokens: 10 };
  expect(converse.usage({ usage })).toMatchObject(counted);
  expect(converse.usageOfEvent({ metadata: { usage } })).toEqual(converse.usage({ usage }));
  expect(converse.usage({})).toBeUndefined();
});

describe('the signature', () => {
  test.each([
    ["at the provider's own host", {}, {}, true],
    ['at a host of the operator', { host: 'other.example' }, {}, false],
    ['where a policy says who calls', {}, { auth: { key: 'k' } }, false],
  ])('is made by default %s: %#', async (_, address, policies, signs) => {
    const { exchange } = await prepared({ vendor7: { region: 'eu-west-3' }, ...address }, policies);
    expect(exchange.handover.sign !== undefined).toBe(signs);
    expect(exchange.request.target).toBe('/model/m/converse');
    const { bytes } = await readBody(exchange.request.body, 1000);
    expect(Buffer.from(bytes).toString()).toBe('{"messages":[{"role":"user","content":[{"text":"hi"}]}]}');
  });
});

function arn(model: string): string {
  return JSON.stringify(body?.({}, { ...call, model, format: 'agent-rerank' }, HeaderMap.EMPTY));
}

function prepared(provider: object, policies: object): Promise<{ readonly exchange: Targeted }> {
  const backend = { type: 'ai', protocol: 'ai', endpoints: [], mirrors: [], provider } as const;
  const view = { name: 'ns/ai', key: 'ProxyBackend/ns/ai', ...backend, policies: { sources: {}, ...policies } };
  const sent = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
  const exchange = exchangeOf({ method: 'POST', target: '/v1/chat/completions', body: sent });
  return Promise.resolve(ai.prepare({ ...exchange, backend: view satisfies BackendView }, SERVICES));
}
