import type { ModelsView, VirtualModel } from '../../../attachment/view.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Asked } from './asked-model.ts';
import { conditional } from './conditional.ts';
import { failover } from './failover.ts';
import { mayUse } from './may-use.ts';
import { serveModel, type Chosen } from './served.ts';
import { weighted } from './weighted.ts';

/**
 * The virtual model of that name, or the first by namespace and name whose match fits and whose rules let the request
 * pass (MODEL-008: nothing else decides). Throws modelNotFound, modelAuthorizationDenied and the failures of virtual models.
 */
export function chooseModel({ concrete, virtual }: ModelsView, asked: Asked, random: () => number): Chosen {
  const routing = virtual.find(({ offered }) => offered === asked.model);
  if (routing !== undefined) return ROUTINGS[routing.routing](routing, asked, random);
  // MODEL-010
  const fitting = concrete.filter((model) => model.isPublic && model.matches(asked.model));
  if (fitting.length === 0) throw new ProxyError('modelNotFound', asked.model);
  const model = fitting.find((each) => mayUse(each, asked.variables));
  if (model === undefined) throw new ProxyError('modelAuthorizationDenied', asked.model);
  return serveModel(model);
}

const ROUTINGS: Readonly<
  Record<VirtualModel['routing'], (model: VirtualModel, asked: Asked, random: () => number) => Chosen>
> = { weighted, failover, conditional };
