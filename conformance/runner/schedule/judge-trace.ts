import { AuthoringError } from '../values/authoring-error.ts';
import type { Check } from '../values/check.ts';
import { judgeInvariants } from '../values/invariants.ts';
import { isList, isObject, type JsonObject } from '../values/json.ts';
import { match } from '../values/match.ts';
import type { MatchContext } from '../values/matchers/matcher.ts';
import { matchSequence } from '../values/sequence.ts';
import { show } from '../values/show.ts';

/** What `expect.trace.NAME` may speak of. */
export const TRACE_KEYS: readonly string[] = [
  'closed',
  'status',
  'headers',
  'contentType',
  'text',
  'events',
  'records',
  'malformed',
  'selections',
  'bodies',
  'sequence',
  'invariants',
];

/** The checks of one trace. `seen` is the observation of its watch. Throws AuthoringError for an unknown key. */
export function judgeTrace(wanted: JsonObject, seen: JsonObject, context: MatchContext): readonly Check[] {
  const unknown = Object.keys(wanted).find((key) => !TRACE_KEYS.includes(key));
  if (unknown !== undefined)
    throw new AuthoringError(`unknown key ${unknown}; a trace has ${TRACE_KEYS.join(', ')}`, [...context.at, unknown]);
  const { sequence, invariants, bodies, ...members } = wanted;
  const events = (isList(seen['events']) ? seen['events'] : []).filter(isObject);
  const observation = { ...seen, selections: selectionsOf(events) };
  return [
    ...(Object.keys(members).length === 0
      ? []
      : match(members, observation, { ...context, what: `${context.what}: ` })),
    ...(isObject(bodies) ? judgeBodies(bodies, events, deeper(context, 'bodies')) : []),
    ...(isList(sequence) ? matchSequence(sequence, events, deeper(context, 'sequence'), { open: true, match }) : []),
    ...(isList(invariants) ? judgeInvariants(invariants, events, deeper(context, 'invariants')) : []),
  ];
}

/** Effective policy by phase; a build that reports one merged selection has it under `merged` (TRC row 3). */
function selectionsOf(events: readonly JsonObject[]): JsonObject {
  const selections = events.filter((event) => event['type'] === 'policySelection');
  return Object.fromEntries(
    selections.map((event) => [
      typeof event['phase'] === 'string' ? event['phase'] : 'merged',
      event['effectivePolicy'],
    ]),
  );
}

/** `{STAGE: {prefixOf: BYTES}}`: the snapshot is base64 of a beginning, not an empty one, of these bytes; anything else matches the base64 text. */
function judgeBodies(wanted: JsonObject, events: readonly JsonObject[], context: MatchContext): readonly Check[] {
  return Object.entries(wanted).flatMap(([stage, expected]) => {
    const inner = deeper(context, stage);
    const snapshot = events.find((event) => event['type'] === 'bodySnapshot' && event['stage'] === stage);
    const whole =
      isObject(expected) && Object.keys(expected).join() === 'prefixOf' ? bytesOf(expected['prefixOf']) : undefined;
    if (whole === undefined) return match(expected, snapshot?.['body'], inner);
    const body = snapshot?.['body'];
    const check = {
      at: inner.at,
      what: inner.what,
      expected: `base64 of a beginning of ${show(whole.toString('utf8'), 60)}`,
      actual: show(body, 80),
    };
    return [{ ...check, ok: typeof body === 'string' && isBeginning(body, whole) }];
  });
}

// Only the standard alphabet with padding is base64 here; Buffer would take almost any text.
function isBeginning(body: string, whole: Buffer): boolean {
  const bytes = Buffer.from(body, 'base64');
  if (bytes.toString('base64') !== body) return false;
  return bytes.length > 0 && bytes.length <= whole.length && bytes.equals(whole.subarray(0, bytes.length));
}

function bytesOf(written: unknown): Buffer | undefined {
  if (typeof written === 'string') return Buffer.from(written, 'utf8');
  return isObject(written) && typeof written['base64'] === 'string'
    ? Buffer.from(written['base64'], 'base64')
    : undefined;
}

function deeper(context: MatchContext, key: string): MatchContext {
  return { ...context, at: [...context.at, key], what: `${context.what} ${key}` };
}
