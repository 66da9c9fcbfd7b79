import type { SeenEvent } from '../llm/sse-events.ts';

/** What a client of either version reads out of what an agent says. */
export interface A2aAnswer {
  /** The error of JSON-RPC, of the last event that has one. */
  readonly error?: unknown;
  /** Texts of messages and artifacts, one after another. */
  readonly text?: string;
  /** Of the task. */
  readonly taskId?: unknown;
  /** The last state of the task, in the words of 0.3, such as input-required. */
  readonly state?: string;
  /** What came in order: task, message, status, artifact or error. */
  readonly said: readonly string[];
  /** Every id of JSON-RPC that answers bear. */
  readonly ids: readonly unknown[];
}

type Json = Readonly<Record<string, unknown>>;

/** Of a whole answer, or of the events of a stream. */
export function readA2aAnswer(documents: readonly unknown[]): A2aAnswer {
  const objects = documents.filter(isObject);
  const results = objects.flatMap(({ result }) => (isObject(result) ? [unwrapped(result)] : []));
  const errors = objects.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const texts = results.flatMap(textsOf);
  const task = results.findLast((result) => taskIdOf(result) !== undefined);
  const state = results.findLast((result) => stateOf(result) !== undefined);
  return {
    ...(errors.length > 0 && { error: errors.at(-1) }),
    ...(texts.length > 0 && { text: texts.join('') }),
    ...(task !== undefined && { taskId: taskIdOf(task) }),
    ...(state !== undefined && { state: stateOf(state) ?? '' }),
    said: objects.map(({ result }) => (isObject(result) ? kindOf(unwrapped(result)) : 'error')),
    ids: objects.map(({ id }) => id),
  };
}

/** The data of events, for those who read streams. */
export function documentsOf(events: readonly SeenEvent[]): readonly unknown[] {
  return events.map(({ data }) => data);
}

/** Version 1.0 says what a result is by the name of its only member, 0.3 by `kind`; a bare task is one in both. */
function unwrapped(result: Json): Json {
  for (const [name, kind] of WRAPPINGS) {
    const value = result[name];
    if (isObject(value)) return { ...value, kind };
  }
  return 'kind' in result ? result : { ...result, kind: 'task' };
}

const WRAPPINGS = [
  ['task', 'task'],
  ['message', 'message'],
  ['statusUpdate', 'status-update'],
  ['artifactUpdate', 'artifact-update'],
] as const;

function kindOf({ kind }: Json): string {
  return String(kind).replace('-update', '');
}

function taskIdOf({ kind, id, taskId }: Json): unknown {
  return kind === 'task' ? id : kind === 'message' ? undefined : taskId;
}

function stateOf({ status }: Json): string | undefined {
  const state = isObject(status) ? status['state'] : undefined;
  if (typeof state !== 'string') return undefined;
  return state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}

function textsOf({ parts, artifact, artifacts }: Json): readonly string[] {
  const list: readonly unknown[] = Array.isArray(artifacts) ? artifacts : [];
  const holders = [{ parts }, artifact, ...list].filter(isObject);
  return holders.flatMap((holder) => {
    const pieces: readonly unknown[] = Array.isArray(holder['parts']) ? holder['parts'] : [];
    return pieces.filter(isObject).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  });
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
