import { ledgerShows } from '../peers/ledger-shows.ts';
import type { Background } from '../steps/background.ts';
import { METHODS } from '../steps/http-input.ts';
import { AuthoringError } from '../values/authoring-error.ts';
import type { Check, Path } from '../values/check.ts';
import { isList, isObject, type JsonObject } from '../values/json.ts';
import { match } from '../values/match.ts';
import type { MatchContext } from '../values/matchers/matcher.ts';
import { repetition } from '../values/matchers/times.ts';
import { interpolate, lookup, type Scope } from '../values/variables.ts';
import { judgeTrace } from './judge-trace.ts';
import type { PreparedCase } from './prepare-case.ts';

/** What judging needs beside the prepared case. */
export interface JudgeContext {
  readonly prepared: PreparedCase;
  readonly background: Background;
  readonly captures: Map<string, unknown>;
  /** Time a ledger or a trace may take to show what is expected of it, in milliseconds of fair time. */
  readonly limitMs: number;
}

/** The checks of `expect` after the steps, and of forbidden calls that a peer saw. */
export async function judgeCase(context: JudgeContext): Promise<readonly Check[]> {
  const { expect } = context.prepared.case;
  return [
    ...(await judgeReceived(expect.received ?? {}, context)),
    ...(await judgeAttempted(expect.attempted ?? {}, context)),
    ...(await judgeTraces(expect.trace ?? {}, context)),
    ...judgeForbidden(context),
  ];
}

/** One check per witness: the named thing is there and is not empty. */
export function judgeWitnesses(context: JudgeContext): readonly Check[] {
  const { prepared } = context;
  return prepared.case.witness.map((written, index) => {
    const seen = lookup(observationOf(context), written);
    const there = isList(seen) ? seen.length > 0 : seen !== undefined && seen !== null && seen !== 0 && seen !== false;
    return {
      at: [...prepared.case.at, 'witness', index],
      what: written,
      ok: there,
      expected: 'something',
      actual: isList(seen) ? `${seen.length} entries` : (JSON.stringify(seen) ?? 'nothing'),
    };
  });
}

/** `received`, `attempted` and `trace` of the case as data. */
function observationOf({ prepared, background }: JudgeContext): JsonObject {
  const { peers } = prepared;
  return {
    received: Object.fromEntries(peers.names.map((name) => [name, peers.received(name)])),
    attempted: Object.fromEntries(peers.names.map((name) => [name, peers.attempted(name)])),
    trace: Object.fromEntries([...background.traces].map(([name, watch]) => [name, watch.observation()['events']])),
  };
}

async function judgeReceived(expected: JsonObject, context: JudgeContext): Promise<readonly Check[]> {
  const { peers } = context.prepared;
  const at = expectPath(context, 'received');
  const filled = fill(expected, context, at);
  const checks: Check[] = [];
  for (const [name, wanted] of Object.entries(isObject(filled) ? filled : {})) {
    // `{~if: …}` drops the peer, and a peer that the row leaves out has no name.
    if (name === '') continue;
    requirePeer(name, context, [...at, name]);
    const ledger = peers.get(name).ledger;
    // A mirrored request may come after the client has its answer.
    if (isList(wanted))
      await ledgerShows(ledger, (now) => now.entries.length >= leastOf(wanted) && now.active === 0, context.limitMs);
    else await ledgerShows(ledger, (now) => now.active === 0, context.limitMs);
    const entries = peers.received(name);
    checks.push(...match(longForm(wanted), entries, inside(context, [...at, name], `received by ${name}`)));
  }
  return checks;
}

/** How many entries a list asks for at least. */
function leastOf(wanted: readonly unknown[]): number {
  return wanted.reduce<number>((sum, item) => {
    if (!isObject(item)) return sum + 1;
    return sum + ('~maybe' in item ? 0 : (repetition(item['~times'])?.[0] ?? 1));
  }, 0);
}

async function judgeAttempted(expected: JsonObject, context: JudgeContext): Promise<readonly Check[]> {
  const at = expectPath(context, 'attempted');
  const filled = fill(expected, context, at);
  return Object.entries(isObject(filled) ? filled : {}).flatMap(([name, wanted]) => {
    requirePeer(name, context, [...at, name]);
    return match(
      wanted,
      context.prepared.peers.attempted(name),
      inside(context, [...at, name], `connections to ${name}`),
    );
  });
}

async function judgeTraces(expected: JsonObject, context: JudgeContext): Promise<readonly Check[]> {
  const at = expectPath(context, 'trace');
  const checks: Check[] = [];
  for (const [name, written] of Object.entries(expected)) {
    const watch = context.background.traces.get(name);
    const here = [...at, name];
    if (watch === undefined) {
      checks.push({ at: here, what: `trace ${name}`, ok: false, expected: 'an armed trace', actual: 'none was armed' });
      continue;
    }
    const wanted = fill(written, context, here);
    if (!isObject(wanted)) throw new AuthoringError('a trace is judged by an object', here);
    if (wanted['closed'] !== false) await watch.settled(context.limitMs);
    checks.push(...judgeTrace(wanted, watch.observation(), inside(context, here, `trace ${name}`)));
  }
  return checks;
}

function judgeForbidden({ prepared }: JudgeContext): readonly Check[] {
  return prepared.peers.fails().map((reason) => ({
    at: [...prepared.case.at, 'peers'],
    what: 'peers',
    ok: false,
    expected: 'no forbidden call',
    actual: reason,
  }));
}

/** `{GET: /a}` as what a ledger shows: method and target. Matchers are looked into, literal values are not. */
export function longForm(wanted: unknown): unknown {
  if (isList(wanted)) return wanted.map(longForm);
  if (!isObject(wanted)) return wanted;
  const short = METHODS.find((method) => method in wanted);
  if (short !== undefined) return { ...shortForm(short, wanted) };
  const entries = Object.entries(wanted).map(([key, value]) => [
    key,
    key.startsWith('~') || key === 'of' ? longForm(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** The target as a whole, so that a query nobody expects is noticed; its parts where the case names `query` by members. */
function shortForm(method: string, wanted: JsonObject): JsonObject {
  const { [method]: target, query, ...rest } = wanted;
  if (query === undefined) return { method, target, ...rest };
  if (typeof query === 'string' && typeof target === 'string')
    return { method, target: query === '' ? target : `${target}?${query}`, ...rest };
  return { method, path: target, query, ...rest };
}

function requirePeer(name: string, { prepared }: JudgeContext, at: Path): void {
  if (prepared.peers.names.includes(name)) return;
  throw new AuthoringError(`unknown peer ${name}; this case has ${prepared.peers.names.join(', ')}`, at);
}

function expectPath({ prepared }: JudgeContext, key: string): Path {
  return [...prepared.case.at, 'expect', key];
}

/** All variables of a case at this moment. */
export function scopeOf(prepared: PreparedCase, captures: ReadonlyMap<string, unknown>): Scope {
  return { ...prepared.scope, ...Object.fromEntries(captures) };
}

/** Checks of one expectation against one observation; `at` is the place of the expectation, `what` begins every message. */
export function judge(
  expected: unknown,
  seen: unknown,
  { at, what }: Pick<MatchContext, 'at' | 'what'>,
  { prepared, captures }: Pick<JudgeContext, 'prepared' | 'captures'>,
): readonly Check[] {
  const scope = scopeOf(prepared, captures);
  return match(interpolate(expected, scope, { at }), seen, { at, what, mode: 'subset', scope, captures });
}

function fill(value: unknown, context: JudgeContext, at: Path): unknown {
  return interpolate(value, scopeOf(context.prepared, context.captures), { at });
}

function inside(context: JudgeContext, at: Path, what: string): MatchContext {
  return { at, what, mode: 'subset', scope: scopeOf(context.prepared, context.captures), captures: context.captures };
}
