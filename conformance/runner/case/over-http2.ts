import { isObject, type JsonObject } from '../values/json.ts';
import type { Step } from '../steps/step.ts';
import type { ConcreteCase } from './concrete-case.ts';

/** What a proxy of this kind declares. */
const HTTP2_FEATURE = 'frontend.http2';

/** The cases whose clients may speak HTTP/2, speaking it. */
export function allOverHttp2(cases: readonly ConcreteCase[]): readonly ConcreteCase[] {
  return cases.flatMap((one) => overHttp2(one) ?? []);
}

/**
 * The case with clients of HTTP/2 wherever it does not say which version they speak, or undefined where it is about HTTP/1.1: where a
 * version is written, or something that HTTP/2 does not have. Its plaintext peers take both versions, because a proxy keeps that of
 * the client (BHTTP-005).
 */
export function overHttp2(one: ConcreteCase): ConcreteCase | undefined {
  const { layer, steps, peers, needs } = one;
  const requests = steps.flatMap(({ kind, input }) => sent(kind, input));
  if (layer !== 'wire' || requests.length === 0 || requests.some(saysVersion)) return undefined;
  if (Object.values(peers).some(isOfHttp1)) return undefined;
  return {
    ...one,
    needs: needs.includes(HTTP2_FEATURE) ? needs : [...needs, HTTP2_FEATURE],
    steps: steps.map(withVersion),
    peers: Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, ofBothVersions(peer)])),
  };
}

/** Kinds of steps that send a request which may be one of either version. */
const SENDING: ReadonlySet<string> = new Set(['http', 'llm', 'mcp', 'a2a']);

/** Kinds of peers that are backends, and can take both. */
const TAKING: ReadonlySet<string> = new Set(['http', 'llm', 'mcp', 'a2a']);

/** What HTTP/2 has no place for, or says in another way. */
const OF_HTTP1 = /^(?:connection|upgrade|te|transfer-encoding|host|keep-alive)$/i;

/** Faults that a stream of HTTP/2 can have, too. */
const FAULTS: readonly unknown[] = ['hang', 'reset', 'refuse', undefined, null];

/** Every request a step sends, by its kind; those of steps within it, too, which stand as they are written: `{ id, http: { … } }`. */
function sent(kind: string, input: unknown): readonly (readonly [kind: string, input: unknown])[] {
  if (SENDING.has(kind)) return [[kind, input]];
  return nestedIn(kind, input).flatMap((step) => Object.entries(step).flatMap(([name, value]) => sent(name, value)));
}

function nestedIn(kind: string, input: unknown): readonly JsonObject[] {
  const nested = kind === 'parallel' ? input : kind === 'repeat' && isObject(input) ? [input['step']] : [];
  return Array.isArray(nested) ? nested.filter(isObject) : [];
}

function saysVersion([kind, input]: readonly [string, unknown]): boolean {
  return isObject(input) && [versionOf(kind), 'tls', 'trailers'].some((name) => input[name] !== undefined);
}

/** The member that says it; `httpVersion` where a protocol over HTTP has versions of its own. */
function versionOf(kind: string): string {
  return kind === 'http' ? 'version' : 'httpVersion';
}

/** Whether a peer takes HTTP/1.1 alone, or its script has an answer, at any depth, that is a matter of it. */
function isOfHttp1(script: unknown): boolean {
  if (Array.isArray(script)) return script.some(isOfHttp1);
  if (!isObject(script)) return false;
  const { fault, raw, kind } = script;
  if (kind === 'cloud-a' || !FAULTS.includes(fault) || raw !== undefined) return true;
  return Object.values(script).some(isOfHttp1);
}

function withVersion(step: Step): Step {
  const input = inVersion(step.kind, step.input);
  return input === step.input ? step : { ...step, input };
}

function inVersion(kind: string, input: unknown): unknown {
  if (SENDING.has(kind)) return asHttp2(kind, input);
  if (kind === 'parallel' && Array.isArray(input)) return input.map(nestedInVersion);
  if (kind === 'repeat' && isObject(input)) return { ...input, step: nestedInVersion(input['step']) };
  return input;
}

function nestedInVersion(step: unknown): unknown {
  if (!isObject(step)) return step;
  return Object.fromEntries(Object.entries(step).map(([name, value]) => [name, inVersion(name, value)]));
}

function asHttp2(kind: string, input: unknown): unknown {
  if (!isObject(input) || input['port'] !== undefined || input['method'] === 'CONNECT') return input;
  return namesOf(input['headers']).some((name) => OF_HTTP1.test(name)) ? input : { ...input, [versionOf(kind)]: '2' };
}

function namesOf(headers: unknown): readonly string[] {
  if (Array.isArray(headers)) return headers.map((pair: unknown) => (Array.isArray(pair) ? String(pair[0]) : ''));
  return isObject(headers) ? Object.keys(headers) : [];
}

function ofBothVersions(peer: JsonObject): JsonObject {
  const { kind, tls, http2 } = peer;
  return typeof kind === 'string' && TAKING.has(kind) && tls === undefined && http2 === undefined
    ? { ...peer, http2: true }
    : peer;
}
