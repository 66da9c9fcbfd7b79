import { type Part, TARGET_KINDS, type TargetKind } from '../../resources/proxy-policy/target-kinds.ts';

/** What targetRefs and targetSelectors have in common. */
export interface Target {
  readonly group: string;
  readonly kind: string;
  readonly sectionName?: string;
  readonly port?: number;
}

export function targetKindOf(target: Target): TargetKind | undefined {
  return TARGET_KINDS.find(({ kind, group }) => kind === target.kind && group === target.group);
}

export function allows(target: Target, part: Part): boolean {
  return targetKindOf(target)?.parts.includes(part) === true;
}

export function isGateway(target: Target): boolean {
  return target.kind === 'Gateway';
}

export function isListener(target: Target): boolean {
  return target.kind === 'ListenerSet' || (target.kind === 'Gateway' && target.sectionName !== undefined);
}

export function sameKind(target: Target, first: Target | undefined): boolean {
  return target.kind === first?.kind && target.group === first.group;
}

export function describe(target: Target): string {
  return `kind ${target.kind} of ${target.group === '' ? 'the core group' : `group ${target.group}`}`;
}
