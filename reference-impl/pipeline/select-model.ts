import type { ModelsView, RuleView } from '../attachment/view.ts';
import { askedModel } from '../backends/ai/models/asked-model.ts';
import { chooseModel } from '../backends/ai/models/choose-model.ts';
import { discovery } from '../backends/ai/models/discovery.ts';
import { isDiscovery } from '../backends/ai/models/served-paths.ts';
import { perKey } from '../base/per-key.ts';
import { perObject } from '../base/per-object.ts';
import { requestVariables, splitTarget } from '../exchange/request-state.ts';
import type { Answer, Routed, Targeted } from '../exchange/exchange.ts';

/** The models a request is for; undefined when it goes to a route. */
export function modelsOf({ listener, rule }: Routed): ModelsView | undefined {
  return rule === listener.models?.rule ? listener.models : undefined;
}

/**
 * MODEL-001: the model that the request asks for by name, as its backend, or the list of all models. Throws the
 * failures of the table that have an `apiCode`.
 */
export async function selectModel(
  exchange: Routed,
  models: ModelsView,
  random: () => number,
): Promise<Targeted | Answer> {
  if (isDiscovery(splitTarget(exchange.request.target).path)) return discovery(models, requestVariables(exchange));
  const asked = await askedModel(exchange);
  const { namespace, name, backend } = chooseModel(models, asked, random);
  return { ...asked.exchange, rule: ruleOf(asked.exchange.rule)(namespace)(name), backend };
}

/** The rule of all models, under the name of one. */
const ruleOf = perObject((rule: RuleView) =>
  perKey((namespace: string) => perKey((name: string) => ({ ...rule, route: { ...rule.route, namespace, name } }))),
);
