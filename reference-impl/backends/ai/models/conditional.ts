import type { ModelTarget, VirtualModel } from '../../../attachment/view.ts';
import { perObject } from '../../../base/per-object.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { compileOrFail } from '../../../cel/compile.ts';
import { isTrue } from '../../../cel/results.ts';
import type { Asked } from './asked-model.ts';
import { serveTarget, type Chosen } from './served.ts';

/** MODEL-024, MODEL-025, MODEL-042: the first target whose condition is true of this request, or that has none. */
export function conditional({ offered, targets }: VirtualModel, { variables }: Asked): Chosen {
  const target = targets.find((each) => {
    const when = condition(each);
    return when === undefined || isTrue(when.evaluate(variables));
  });
  // MODEL-026
  if (target === undefined) throw new ProxyError('virtualModelNoTarget', offered);
  return serveTarget(target, variables);
}

const condition = perObject(({ when }: ModelTarget) => (when === undefined ? undefined : compileOrFail(when)));
