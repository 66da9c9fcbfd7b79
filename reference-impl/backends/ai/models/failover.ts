import type { BackendView, ConcreteModel, ModelTarget, VirtualModel } from '../../../attachment/view.ts';
import { perObject } from '../../../base/per-object.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import type { Asked } from './asked-model.ts';
import { mayUse } from './may-use.ts';
import type { Chosen } from './served.ts';

/**
 * MODEL-019 to MODEL-022, MODEL-040: the targets as one backend, those of one priority in one group, the lowest
 * priority first. Targets that do not exist or that the request may not use are no part of it.
 */
export function failover(virtual: VirtualModel, { variables }: Asked): Chosen {
  const { namespace, name, offered } = virtual;
  const { members, backend } = everything(virtual);
  if (members.length === 0) throw new ProxyError('virtualModelNotResolved', offered);
  const usable = members.filter(({ model }) => mayUse(model, variables));
  if (usable.length === 0) throw new ProxyError('modelAuthorizationDenied', offered);
  return { namespace, name, backend: usable.length === members.length ? backend : groupByPriority(virtual, usable) };
}

/** Most models have no rules: then it is the same backend for every request. */
const everything = perObject((virtual: VirtualModel) => {
  const members = virtual.targets.flatMap(memberOf);
  return { members, backend: groupByPriority(virtual, members) };
});

interface Member {
  readonly model: ConcreteModel;
  readonly priority: number;
  readonly backend: BackendView;
}

function memberOf({ model, backend, priority }: ModelTarget): Member[] {
  if (model === undefined || backend === undefined) return [];
  return 'unresolved' in backend ? [] : [{ model, priority, backend }];
}

function groupByPriority({ namespace, name }: VirtualModel, members: readonly Member[]): BackendView {
  const byPriority = Map.groupBy(members, ({ priority }) => priority);
  const groups = [...byPriority]
    .toSorted(([one], [other]) => one - other)
    .map(([, group]) => group.map(({ backend }) => backend));
  return {
    name: `${namespace}/${name}`,
    key: `ProxyModel/${namespace}/${name}`,
    type: 'ai',
    protocol: 'ai',
    groups,
    endpoints: [],
    policies: NOTHING_SAID,
    mirrors: [],
  };
}

/** A virtual model has no policies; those of the chosen member hold. */
const NOTHING_SAID: BackendView['policies'] = { sources: {} };
