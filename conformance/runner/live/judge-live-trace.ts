import { isList, isObject, type JsonObject } from '../values/json.ts';
import { show } from '../values/show.ts';

/** A rule of the trace document that a record broke, and where. */
export interface Broken {
  readonly clause: string;
  /** Number of the record in its trace, from 1; 0 for the trace as a whole. */
  readonly record: number;
  readonly why: string;
}

/**
 * Judges one trace by what the document states of every trace, whatever the request was: the shape of each record, times that never go
 * back, the order of events. Order and presence are stated for requests that got an answer from a backend (TRACE-059), so a trace without
 * one is judged by shape and times alone. Events and members that nobody knows are allowed (TRACE-012).
 */
export function judgeLiveTrace(records: readonly unknown[]): readonly Broken[] {
  const shaped = records.map((record) => (isObject(record) ? record : {}));
  const messages = shaped.map(({ message }) => (isObject(message) ? message : {}));
  return [
    ...records.flatMap((record, index) => brokenShape(record).map((broken) => ({ ...broken, record: index + 1 }))),
    ...brokenTimes(shaped),
    ...(answered(messages) ? [...brokenOrder(messages), ...missing(messages)] : []),
  ];
}

/** What holds for a value that is there: the clause, and whether it does. */
type Rule = readonly [clause: string, holds: boolean, why: string];

function brokenShape(record: unknown): readonly Omit<Broken, 'record'>[] {
  if (!isObject(record)) return [{ clause: 'TRACE-013', why: `${show(record)} is no object` }];
  const { eventStart, eventEnd, severity, message } = record;
  const event = isObject(message) ? message : {};
  const rules: readonly Rule[] = [
    ['TRACE-014', eventStart === null || Number.isInteger(eventStart), `eventStart is ${show(eventStart)}`],
    ['TRACE-017', Number.isInteger(eventEnd), `eventEnd is ${show(eventEnd)}`],
    ['TRACE-019', typeof severity === 'string', `severity is ${show(severity)}`],
    ['TRACE-021', typeof event['type'] === 'string', `message is ${show(message, 80)}`],
    ['TRACE-066', isTextIfThere(event['stage']) && isTextIfThere(event['phase']), 'stage or phase is no text'],
    ...(SHAPES[String(event['type'])]?.({ event, eventStart }) ?? []),
    ...rulesOfState(event['requestState']),
  ];
  return rules.flatMap(([clause, holds, why]) => (holds ? [] : [{ clause, why }]));
}

interface Seen {
  readonly event: JsonObject;
  readonly eventStart: unknown;
}

const SHAPES: Readonly<Record<string, (seen: Seen) => readonly Rule[]>> = {
  policySelection: ({ event: { phase, effectivePolicy } }) => [
    ['TRACE-070', isObject(effectivePolicy), `effectivePolicy is ${show(effectivePolicy, 80)}`],
    ['TRACE-069', phase === undefined || PHASES.has(phase), `phase is ${show(phase)}`],
  ],
  routeSelection: ({ event: { selectedRoute, evaluatedRoutes } }) => [
    ['TRACE-074', isTexts(evaluatedRoutes), `evaluatedRoutes is ${show(evaluatedRoutes, 80)}`],
    [
      'TRACE-075',
      typeof selectedRoute !== 'string' || (isList(evaluatedRoutes) && evaluatedRoutes.includes(selectedRoute)),
      `selectedRoute ${show(selectedRoute)} is none of evaluatedRoutes`,
    ],
  ],
  backendCallStart: ({ event: { target } }) => [
    ['TRACE-078', typeof target === 'string' && /^.+:\d+$/.test(target), `target is ${show(target)}`],
  ],
  backendCallResult: ({ event: { error, status }, eventStart }) => [
    ['TRACE-016', Number.isInteger(eventStart), `eventStart of backendCallResult is ${show(eventStart)}`],
    ['TRACE-081', error !== null || Number.isInteger(status), `status is ${show(status)} beside an error of null`],
  ],
  bodySnapshot: ({ event: { body } }) => [['TRACE-092', isBase64(body), `body is ${show(body, 80)}`]],
};

const PHASES: ReadonlySet<unknown> = new Set(['gateway', 'route', 'backend']);

function rulesOfState(state: unknown): readonly Rule[] {
  if (!isObject(state)) return [];
  const { request, response, source, backend, env } = state;
  return [
    [
      'TRACE-025',
      !isObject(request) || isTexts([request['uri'], request['path'], request['host']]),
      'request lacks a text',
    ],
    ['TRACE-028', !isObject(response) || Number.isInteger(response['code']), 'response.code is no integer'],
    [
      'TRACE-027',
      !isObject(source) || (typeof source['address'] === 'string' && Number.isInteger(source['port'])),
      `source is ${show(source, 80)}`,
    ],
    ['TRACE-032', !isObject(backend) || /.\/./.test(String(backend['name'])), 'backend.name is no path'],
    ['TRACE-035', env === undefined || isObject(env), `env is ${show(env)}`],
  ];
}

function isTextIfThere(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return isList(value) && value.every((item) => typeof item === 'string');
}

// Only the standard alphabet with padding; a text that was cut after encoding may lack its end (TRACE-097).
function isBase64(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

/** TRACE-018. */
function brokenTimes(records: readonly JsonObject[]): readonly Broken[] {
  return records.flatMap(({ eventEnd }, index) => {
    const before = records[index - 1]?.['eventEnd'];
    const goesBack = typeof eventEnd === 'number' && typeof before === 'number' && eventEnd < before;
    const why = `eventEnd ${show(eventEnd)} comes after ${show(before)}`;
    return goesBack ? [{ clause: 'TRACE-018', record: index + 1, why }] : [];
  });
}

/** Every row of the table of events, in its order; those without a clause may be absent. */
const ROWS: readonly (readonly [row: string, clause?: string])[] = [
  ['requestStarted', 'TRACE-038'],
  ['requestSnapshot initial request', 'TRACE-039'],
  ['policySelection gateway'],
  ['requestSnapshot gateway policies', 'TRACE-041'],
  ['routeSelection', 'TRACE-042'],
  ['policySelection route'],
  ['requestSnapshot route policies', 'TRACE-044'],
  ['policySelection backend'],
  ['requestSnapshot final request', 'TRACE-046'],
  ['backendCallStart', 'TRACE-047'],
  ['bodySnapshot final request'],
  ['backendCallResult', 'TRACE-050'],
  ['responseSnapshot raw response', 'TRACE-051'],
  ['responseSnapshot backend response ready', 'TRACE-052'],
  ['responseSnapshot final response', 'TRACE-053'],
  ['bodySnapshot response'],
  ['requestFinished', 'TRACE-056'],
];

/** Whether a backend answered: there is a result, and no transport error in it. */
function answered(messages: readonly JsonObject[]): boolean {
  const results = messages.filter(({ type }) => type === 'backendCallResult');
  // Several calls are a retry, whose order the document does not give.
  return results.length === 1 && results[0]?.['error'] === null;
}

function rowOf({ type, stage, phase }: JsonObject): number {
  const name = [type, stage ?? phase].filter((part) => typeof part === 'string').join(' ');
  return ROWS.findIndex(([row]) => row === name);
}

/** TRACE-037: events that are there never change places. */
function brokenOrder(messages: readonly JsonObject[]): readonly Broken[] {
  const known = messages
    .map((event, index) => ({ row: rowOf(event), record: index + 1 }))
    .filter(({ row }) => row >= 0);
  return known.flatMap(({ row, record }, index) => {
    const before = known[index - 1];
    if (before === undefined || before.row < row) return [];
    const why = `${ROWS[row]?.[0] ?? ''} stands after ${ROWS[before.row]?.[0] ?? ''}`;
    return [{ clause: 'TRACE-037', record, why }];
  });
}

function missing(messages: readonly JsonObject[]): readonly Broken[] {
  const present = new Set(messages.map(rowOf));
  return ROWS.flatMap(([row, clause], index) =>
    clause === undefined || present.has(index) ? [] : [{ clause, record: 0, why: `there is no ${row}` }],
  );
}
