import { buildView } from '../../../../attachment/view.ts';
import type { Format } from '../../../../backends/ai/formats/format.ts';
import { FORMATS } from '../../../../backends/ai/formats/registry.ts';
import { LlmCall } from '../../../../backends/ai/call/llm-call.ts';
import { invariant } from '../../../../base/invariant.ts';
import type { Targeted } from '../../../../exchange/exchange.ts';
import { selectBackend } from '../../../../pipeline/select-backend.ts';
import { backend, gateway, route, snapshotWith } from '../../../attachment/support/resources.ts';
import { exchangeOf } from '../../../policies/support/exchange.ts';

/** A request that has found its backend, without any policy. */
export function aiExchange(): Targeted {
  const view = buildView(snapshotWith(gateway('gw'), route('r'), backend('b')));
  const listener = view.binds.get(3000)?.selectListener('h.test');
  const rule = listener?.selectRoute({ host: 'h.test', method: 'POST', path: '/', query: '', header: () => undefined });
  invariant(listener !== undefined && rule !== undefined, 'the test configuration has a route');
  return selectBackend({ ...exchangeOf(), view, listener, rule }, () => 0);
}

/** A call that asked for a stream; with `captured` an expression of its policies looks at what the model says. */
export function streamCall({ captured = false, format = FORMATS.completions }: Asked = {}): LlmCall {
  const exchange = aiExchange();
  const policies = captured ? { ...exchange.backend.policies, looks: 'llm.completion' } : exchange.backend.policies;
  const question = { provider: 'p', streaming: true, model: 'm', request: {}, format };
  return new LlmCall(question, { ...exchange, backend: { ...exchange.backend, policies } });
}

interface Asked {
  readonly captured?: boolean;
  readonly format?: Format | undefined;
}
