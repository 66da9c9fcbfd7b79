import { objectMember, stringMember } from '../../base/members.ts';
import type { EventRow } from '../../trace/event-row.ts';
import { POLICY_NAMES } from '../../trace/policy-names.ts';

/** What became of a request, in one sentence, and who is behind it. */
export interface Outcome {
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
  /** Of the effective policy, when one of its fields decided. */
  readonly field?: string;
  readonly origins: readonly Origin[];
  /** The row that tells it. */
  readonly row: number | undefined;
}

/** A resource that wrote a field of a policy, and at which level. */
export interface Origin {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly level: string;
}

/** The first reason that applies is the one. */
export function outcomeOf(rows: readonly EventRow[]): Outcome | undefined {
  for (const reason of REASONS) {
    const found = reason(rows);
    if (found !== undefined) return found;
  }
  return undefined;
}

const REASONS: readonly ((rows: readonly EventRow[]) => Outcome | undefined)[] = [
  denied,
  failedPolicy,
  noRoute,
  backendFailed,
  backendAnswered,
  policyAnswered,
];

function denied(rows: readonly EventRow[]): Outcome | undefined {
  const row = rows.findLastIndex(({ event }) => stringMember(messageOf(event), 'result') === 'deny');
  return row === -1 ? undefined : byPolicy(rows, row, 'authorization', 'denied by');
}

function failedPolicy(rows: readonly EventRow[]): Outcome | undefined {
  const row = rows.findLastIndex(({ type, event }) => type === 'policy' && stringMember(event, 'severity') === 'error');
  return row === -1
    ? undefined
    : byPolicy(rows, row, fieldOf(rows[row]), isFailure(rows[row]) ? 'stopped by' : 'denied by');
}

function noRoute(rows: readonly EventRow[]): Outcome | undefined {
  const row = rows.findIndex(
    ({ type, event }) => type === 'routeSelection' && objectMember(messageOf(event), 'selectedRoute') === null,
  );
  const evaluated = objectMember(messageOf(rows[row]?.event), 'evaluatedRoutes');
  const count = Array.isArray(evaluated) ? evaluated.length : 0;
  const text = `no route matches; ${count} ${count === 1 ? 'rule was' : 'rules were'} looked at`;
  return row === -1 ? undefined : { tone: 'bad', text, origins: [], row };
}

function backendFailed(rows: readonly EventRow[]): Outcome | undefined {
  const row = lastOwnCall(rows);
  const error = stringMember(messageOf(rows[row]?.event), 'error');
  return error === undefined ? undefined : { tone: 'bad', text: `the backend failed: ${error}`, origins: [], row };
}

function backendAnswered(rows: readonly EventRow[]): Outcome | undefined {
  const row = lastOwnCall(rows);
  if (row === -1) return undefined;
  const start = rows.findLast(({ type, event }) => type === 'backendCallStart' && isOwn(event));
  const target = stringMember(messageOf(start?.event), 'target') ?? '';
  const status = objectMember(messageOf(rows[row]?.event), 'status');
  const tone = typeof status === 'number' && status < 400 ? 'good' : 'bad';
  return { tone, text: `the backend ${target} answered ${String(status)}`, origins: [], row };
}

/** Nobody was called and the request is over: who applied last was it. */
function policyAnswered(rows: readonly EventRow[]): Outcome | undefined {
  if (rows.at(-1)?.type !== 'requestFinished') return undefined;
  const row = rows.findLastIndex(
    ({ type, event }) =>
      type === 'policy' && stringMember(objectMember(messageOf(event), 'result'), 'type') === 'apply' && isOwn(event),
  );
  return row === -1 ? undefined : { ...byPolicy(rows, row, fieldOf(rows[row]), 'answered by'), tone: 'plain' };
}

function byPolicy(rows: readonly EventRow[], row: number, field: string, verb: string): Outcome {
  const details = stringMember(objectMember(messageOf(rows[row]?.event), 'result'), 'details');
  const text = `${verb} ${field}${details === undefined ? '' : `: ${details}`}`;
  return { tone: 'bad', text, field, origins: originsOf(rows.slice(0, row), field), row };
}

/** The last selection that knows the field is the one its policy was compiled from. */
function originsOf(rows: readonly EventRow[], field: string): readonly Origin[] {
  for (const { type, event } of rows.toReversed()) {
    const sources = type === 'policySelection' ? objectMember(messageOf(event), 'sources') : undefined;
    const found = readOrigins(objectMember(sources, field));
    if (found.length > 0) return found;
  }
  return [];
}

/** What stands in `sources` under the name of a field. */
export function readOrigins(value: unknown): readonly Origin[] {
  return Array.isArray(value) ? value.map(readOrigin) : [];
}

function readOrigin(value: unknown): Origin {
  const text = (name: string): string => stringMember(value, name) ?? '';
  return { kind: text('kind'), namespace: text('namespace'), name: text('name'), level: text('level') };
}

/** `kind namespace/name at level` */
export function originText({ kind, namespace, name, level }: Origin): string {
  return `${kind} ${namespace}/${name} at ${level}`;
}

function fieldOf(row: EventRow | undefined): string {
  const kind = stringMember(messageOf(row?.event), 'kind') ?? '';
  const [field = kind] = Object.entries(POLICY_NAMES).find(([, names]) => names.kind === kind) ?? [];
  // Two parts of one field speak under names of their own.
  return field.split('.', 1).join('');
}

/** It could not decide, as when the server it asks does not answer. */
function isFailure(row: EventRow | undefined): boolean {
  return stringMember(objectMember(messageOf(row?.event), 'result'), 'details')?.startsWith('failed') === true;
}

function lastOwnCall(rows: readonly EventRow[]): number {
  return rows.findLastIndex(({ type, event }) => type === 'backendCallResult' && isOwn(event));
}

/** Calls of policies and mirrors have a scope. */
function isOwn(event: unknown): boolean {
  return objectMember(event, 'scope') === undefined;
}

function messageOf(event: unknown): unknown {
  return objectMember(event, 'message');
}
