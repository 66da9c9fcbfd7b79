import { jsonReply } from '../../http-exchange.ts';
import type { HttpPiece, HttpReply } from '../../http-exchange.ts';
import { isJsonObject, type Json } from '../../json.ts';
import { ERRORS, type Call, type Problem } from './receive.ts';
import type { A2aReply, Piece } from './script.ts';
import type { Tasks } from './tasks.ts';
import { DIALECTS, isFinal, type EventKind, type Task } from './versions.ts';

/** What the agent has to answer with. */
export interface Agent {
  readonly name: string;
  /** Its card, before a reply says what is different about it. */
  readonly card: Json;
  readonly tasks: Tasks;
}

/** The answer to one request: the agent's own refusal, what the script says, or what an agent says by itself. */
export function answer(call: Call, reply: A2aReply, agent: Agent): HttpReply {
  if (reply.fail !== undefined) return { fail: reply.fail };
  if (call.problem !== undefined) return refused(call, call.problem);
  const said = say(call, reply, agent);
  return reply.fault === undefined ? said : { ...said, fault: reply.fault };
}

function say(call: Call, reply: A2aReply, agent: Agent): HttpReply {
  const { status = 200, headers = {} } = reply;
  if (reply.body !== undefined) return { status, headers, body: reply.body };
  if (reply.json !== undefined) return document(reply.json, reply);
  if (call.action === 'card') return document(editedCard(agent.card, reply), reply);
  if (reply.error !== undefined) return document(errorOf(call, reply.error), reply);
  if (call.action === 'stream' || call.action === 'subscribe') return streamed(call, reply, agent);
  return document(resultOf(call, reply, agent), reply);
}

function document(json: unknown, { status, headers, gate, giveUp }: A2aReply): HttpReply {
  return jsonReply(JSON.stringify(json), { status, headers, gate, giveUp });
}

function editedCard(card: Json, { with: over = {}, without = [] }: A2aReply): Json {
  return Object.fromEntries(Object.entries({ ...card, ...over }).filter(([name]) => !without.includes(name)));
}

function refused(call: Call, problem: Problem): HttpReply {
  return jsonReply(JSON.stringify(errorOf(call, problem)), { status: problem.status });
}

function errorOf(
  { id }: Call,
  { code, message, data }: { code: number; message?: string | undefined; data?: unknown },
): Json {
  const error = { code, message: message ?? ERRORS[code] ?? 'Error of the agent', ...(data !== undefined && { data }) };
  return { jsonrpc: '2.0', id, error };
}

function resultOf(call: Call, reply: A2aReply, agent: Agent): Json {
  const { version, id, action } = call;
  const dialect = DIALECTS[version];
  if (action === 'send') {
    const { task } = reply;
    if (task !== undefined)
      return { jsonrpc: '2.0', id, result: dialect.result('task', dialect.task(begin(task, call, agent))) };
    const message = dialect.message(reply.message ?? agent.name, idsOf(call));
    return { jsonrpc: '2.0', id, result: dialect.result('message', message) };
  }
  if (action === 'list') {
    const tasks = agent.tasks.all().map(dialect.task);
    return { jsonrpc: '2.0', id, result: { tasks, nextPageToken: '', pageSize: 50, totalSize: tasks.length } };
  }
  const task = agent.tasks.find(call.params['id']);
  if (task === undefined) return errorOf(call, { code: -32001 });
  if (action === 'get') return { jsonrpc: '2.0', id, result: dialect.task(task) };
  if (isFinal(task)) return errorOf(call, { code: -32002 });
  return { jsonrpc: '2.0', id, result: dialect.task(agent.tasks.change(task, { state: 'canceled' })) };
}

function streamed(call: Call, reply: A2aReply, agent: Agent): HttpReply {
  const pieces = reply.stream ?? usualStream(call, reply, agent);
  if (pieces === undefined) return refused(call, { status: 200, code: -32001 });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...reply.headers };
  return { status: reply.status ?? 200, headers, chunks: eventsOf(pieces, call, agent) };
}

/** Who comes back to a task is told how it stands; undefined for a task nobody knows. */
function usualStream(call: Call, reply: A2aReply, agent: Agent): readonly Piece[] | undefined {
  if (call.action === 'stream') {
    return reply.task === undefined ? [{ message: reply.message ?? agent.name }] : [{ task: reply.task }];
  }
  const task = agent.tasks.find(call.params['id']);
  return task === undefined ? undefined : [{ status: task.state }];
}

function eventsOf(pieces: readonly Piece[], call: Call, agent: Agent): HttpPiece[] {
  const dialect = DIALECTS[call.version];
  let task = agent.tasks.find(call.params['id']);
  const current = (): Task => (task ??= begin({ state: 'working' }, call, agent));
  const event = (kind: EventKind, value: Json): HttpPiece =>
    eventText({ jsonrpc: '2.0', id: call.id, result: dialect.event(kind, value) });
  return pieces.map((piece): HttpPiece => {
    if ('gate' in piece) return piece;
    if ('raw' in piece) return { text: piece.raw };
    if ('disconnect' in piece) return { reset: true };
    if ('error' in piece) return eventText(errorOf(call, piece.error));
    if ('message' in piece) return event('message', dialect.message(piece.message, idsOf(call)));
    if ('task' in piece) {
      task = begin(piece.task, call, agent);
      return event('task', dialect.task(task));
    }
    if ('artifact' in piece) {
      task = agent.tasks.change(current(), { artifact: piece.artifact });
      return event('artifactUpdate', dialect.artifactUpdate(task, task.artifacts.length - 1));
    }
    task = agent.tasks.change(current(), { state: piece.status });
    return event('statusUpdate', dialect.statusUpdate(task));
  });
}

function eventText(json: Json): HttpPiece {
  return { text: `data: ${JSON.stringify(json)}\n\n` };
}

function begin(script: NonNullable<A2aReply['task']>, call: Call, { tasks }: Agent): Task {
  return tasks.begin(script, contextOf(call));
}

/** The conversation goes on where the client says it does. */
function contextOf({ params: { message } }: Call): string | undefined {
  const contextId = isJsonObject(message) ? message['contextId'] : undefined;
  return typeof contextId === 'string' && contextId !== '' ? contextId : undefined;
}

function idsOf(call: Call): { readonly messageId: string; readonly contextId: string } {
  return { messageId: `reply-${String(call.id)}`, contextId: contextOf(call) ?? 'context-1' };
}
