import type { VirtualModel } from '../../../attachment/view.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Asked } from './asked-model.ts';
import { serveTarget, type Chosen } from './served.ts';

/** MODEL-030: one of the targets, as often as its weight says. */
export function weighted({ offered, targets }: VirtualModel, { variables }: Asked, random: () => number): Chosen {
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  let rest = random() * total;
  const target = targets.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
  if (target === undefined) throw new ProxyError('virtualModelNotResolved', offered);
  return serveTarget(target, variables);
}
