import type { Json } from '../../json.ts';

/** The versions of A2A that an agent can speak, by what stands in the header field A2A-Version. */
export const VERSIONS = ['0.3', '1.0'] as const;
export type Version = (typeof VERSIONS)[number];

/** What a client can want of an agent, whatever its version calls it; `card` is a GET of the agent card. */
export const ACTIONS = ['card', 'send', 'stream', 'get', 'list', 'cancel', 'subscribe', 'other'] as const;
export type Action = (typeof ACTIONS)[number];

/** States of a task; no task leaves the last four. */
export const STATES = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
] as const;
export type TaskState = (typeof STATES)[number];

/** An agent's task, as the mock remembers it. */
export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** Texts of its artifacts. */
  readonly artifacts: readonly string[];
}

/** How a version spells what agents say. The protocol's own documents and its SDK's types are the source. */
export interface Dialect {
  readonly methods: Readonly<Record<string, Action>>;
  readonly message: (text: string, ids: Ids) => Json;
  readonly task: (task: Task) => Json;
  readonly statusUpdate: (task: Task) => Json;
  readonly artifactUpdate: (task: Task, index: number) => Json;
  /** What the result of a call has for a task or a message. */
  readonly result: (kind: 'task' | 'message', value: Json) => Json;
  /** One event of a stream has the same wrapping, where the version has one. */
  readonly event: (kind: EventKind, value: Json) => Json;
}

export type EventKind = 'task' | 'message' | 'statusUpdate' | 'artifactUpdate';

export interface Ids {
  readonly messageId: string;
  readonly contextId: string;
}

export function isFinal({ state }: Task): boolean {
  return STATES.indexOf(state) >= STATES.indexOf('completed');
}

const V0_3: Dialect = {
  methods: {
    'message/send': 'send',
    'message/stream': 'stream',
    'tasks/get': 'get',
    'tasks/cancel': 'cancel',
    'tasks/resubscribe': 'subscribe',
  },
  message: (text, ids) => ({ kind: 'message', role: 'agent', parts: [{ kind: 'text', text }], ...ids }),
  task: (task) => ({
    kind: 'task',
    id: task.id,
    contextId: task.contextId,
    status: { state: task.state, timestamp: TIMESTAMP },
    artifacts: task.artifacts.map((text, index) => artifact(index, { kind: 'text', text })),
  }),
  statusUpdate: (task) => ({
    kind: 'status-update',
    taskId: task.id,
    contextId: task.contextId,
    status: { state: task.state, timestamp: TIMESTAMP },
    final: isFinal(task),
  }),
  artifactUpdate: ({ id, contextId, artifacts }, index) => ({
    kind: 'artifact-update',
    taskId: id,
    contextId,
    artifact: artifact(index, { kind: 'text', text: artifacts[index] ?? '' }),
    append: false,
    lastChunk: true,
  }),
  result: (_kind, value) => value,
  event: (_kind, value) => value,
};

const V1_0: Dialect = {
  methods: {
    SendMessage: 'send',
    SendStreamingMessage: 'stream',
    GetTask: 'get',
    ListTasks: 'list',
    CancelTask: 'cancel',
    SubscribeToTask: 'subscribe',
  },
  message: (text, ids) => ({ role: 'ROLE_AGENT', parts: [{ text }], ...ids }),
  task: (task) => ({
    id: task.id,
    contextId: task.contextId,
    status: { state: stateOf1(task), timestamp: TIMESTAMP },
    artifacts: task.artifacts.map((text, index) => artifact(index, { text })),
  }),
  statusUpdate: (task) => ({
    taskId: task.id,
    contextId: task.contextId,
    status: { state: stateOf1(task), timestamp: TIMESTAMP },
  }),
  artifactUpdate: ({ id, contextId, artifacts }, index) => ({
    taskId: id,
    contextId,
    artifact: artifact(index, { text: artifacts[index] ?? '' }),
    append: false,
    lastChunk: true,
  }),
  result: (kind, value) => ({ [kind]: value }),
  event: (kind, value) => ({ [kind]: value }),
};

export const DIALECTS: Readonly<Record<Version, Dialect>> = { '0.3': V0_3, '1.0': V1_0 };

/** No test is to wait for a clock, nor to differ because of one. */
const TIMESTAMP = '2026-01-01T00:00:00.000Z';

function artifact(index: number, part: Json): Json {
  return { artifactId: `artifact-${index + 1}`, parts: [part] };
}

function stateOf1({ state }: Task): string {
  return `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`;
}
