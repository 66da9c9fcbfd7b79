import type { ListenerView, ModelsView, View, WeightedBackend } from '../attachment/view.ts';
import { phaseCompiler } from './compile-phase.ts';
import { BACKEND, GATEWAY, ROUTE } from './phases.ts';

/** The steps of a phase, compiled once per effective policy. */
export const compileGateway = phaseCompiler(GATEWAY);
export const compileRoute = phaseCompiler(ROUTE);
export const compileBackend = phaseCompiler(BACKEND);

/** Compiles the policies of a view, so that no request waits for it. What it shares with an earlier one is compiled. */
export function compileView({ binds }: View): void {
  for (const { listeners } of binds.values()) for (const listener of listeners) compileListener(listener);
}

function compileListener({ preRouting, rules, models }: ListenerView): void {
  compileGateway(preRouting);
  for (const { postRouting, backends } of rules) {
    compileRoute(postRouting);
    for (const { backend } of backends) compileWayTo(backend);
  }
  if (models !== undefined) compileModels(models);
}

function compileModels({ rule, concrete, virtual }: ModelsView): void {
  compileRoute(rule.postRouting);
  for (const { backend } of [...concrete, ...virtual.flatMap(({ targets }) => targets)]) {
    if (backend !== undefined) compileWayTo(backend);
  }
}

function compileWayTo(backend: WeightedBackend['backend']): void {
  if ('unresolved' in backend) return;
  if (backend.mcp !== undefined) for (const { backend: target } of backend.mcp.targets) compileBackend(target.policies);
  else if (backend.groups === undefined) compileBackend(backend.policies);
  else for (const member of backend.groups.flat()) compileWayTo(member);
}
