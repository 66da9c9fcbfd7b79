import { exchange } from '../http-client.ts';
import { eventsOf } from '../llm/sse-events.ts';
import { findItem } from '../mcp/find-item.ts';
import { findUri, type ListedResource } from '../mcp/find-uri.ts';
import { ITEMS, mcpInputSchema, PER_REQUEST, REVISION, type McpInput } from '../mcp/mcp-input.ts';
import { initialized, mcpCall, revisionOf, type McpClient } from '../mcp/mcp-request.ts';
import { readMcpAnswer } from '../mcp/read-answer.ts';
import { outsideCommand } from '../curl.ts';
import { isList, isObject } from '../../values/json.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';
import { targetOf } from '../target.ts';

/** Does one thing as a client of MCP, whose session is remembered, and reads the answer, streamed or not. */
export const mcp: StepDefinition<McpInput> = {
  name: 'mcp',
  text: 'Does one thing as a client of MCP: connects, lists, calls, gets, reads, notifies, replies, listens or deletes.',
  schema: mcpInputSchema,
  expectKeys: [
    'status',
    'headers',
    'body',
    'json',
    /** The session that the server gave; null when it gave none. */
    'session',
    /** The result of JSON-RPC, from a document or from a stream. */
    'result',
    'error',
    /** `result`, or `rejected`: by a status, an error of JSON-RPC, or an error of the tool. */
    'outcome',
    'text',
    'names',
    'uris',
    /** The name by which an item of a target is listed. */
    'listed',
    'said',
    'messages',
    'complete',
    'closed',
    'gates',
    'elapsedMs',
    'failure',
  ],
  run,
  describe: (input) => {
    const { method, path } = mcpCall(input, NEW);
    return `${method} ${path}`;
  },
  curl: (input, context) => outsideCommand(mcpCall(input, NEW), input, context),
};

const NEW: McpClient = { session: null, revision: REVISION };

async function run(input: McpInput, context: StepContext): Promise<Observation> {
  if (input.connect !== undefined) return connect(input, context);
  if (input.of !== undefined) return useItem(input, input.of, context);
  if (input.list !== undefined) return listAll(input, context);
  return send(input, context);
}

async function connect(input: McpInput, context: StepContext): Promise<Observation> {
  const seen = await send(input, context);
  const { headers, outcome } = seen;
  const given =
    typeof headers === 'object' && headers !== null && 'mcp-session-id' in headers ? headers['mcp-session-id'] : null;
  const session = typeof given === 'string' ? given : null;
  if (outcome !== 'result') return { ...seen, session };
  clientsOf(context).set(input.client ?? '', { session, revision: agreed(seen) ?? revisionOf(input) });
  // Where no session begins there is nothing to be ready for.
  if (revisionOf(input) === PER_REQUEST) return { ...seen, session };
  const { arguments: _, params: __, id: ___, ...rest } = input;
  await send(initialized(rest), context);
  return { ...seen, session };
}

/** The revision that the server chose. */
function agreed({ result }: Observation): string | undefined {
  const said =
    typeof result === 'object' && result !== null && 'protocolVersion' in result ? result.protocolVersion : undefined;
  return typeof said === 'string' ? said : undefined;
}

/** Looks the item up in the list of its kind, since no document says how the name of its target stands in it. */
async function useItem(input: McpInput, target: string, context: StepContext): Promise<Observation> {
  const { of: _, call: ___, get, read, arguments: __, ...rest } = input;
  const act = read === undefined ? (get === undefined ? 'call' : 'get') : 'read';
  const item = input[act] ?? '';
  const list = await listAll({ ...rest, list: ITEMS[act].list }, context);
  const names = stringsOf(act === 'read' ? list['uris'] : list['names']);
  const listed = act === 'read' ? findUri(resourcesOf(list), target, item) : findItem(names, target, item);
  if (listed === undefined)
    return { ...list, failure: `${item} of ${target} is not in ${names.join(', ') || 'an empty list'}` };
  const { of: ____, ...plain } = input;
  return { ...(await send({ ...plain, [act]: listed }, context)), listed };
}

/** Every listed URI, with the name that the list gives it. */
function resourcesOf({ uris, result }: Observation): readonly ListedResource[] {
  const held =
    typeof result === 'object' && result !== null && 'resources' in result && Array.isArray(result.resources)
      ? result.resources
      : [];
  const names = new Map(held.map((one: ListedResource) => [one.uri, one.name]));
  return stringsOf(uris).map((uri) => ({ uri, name: names.get(uri) }));
}

/** Pages of a list that a server may have. */
const MOST_PAGES = 100;

async function listAll(input: McpInput, context: StepContext): Promise<Observation> {
  let seen = await send(input, context);
  const names = [...stringsOf(seen['names'])];
  const uris = [...stringsOf(seen['uris'])];
  const results = [seen['result']];
  for (let page = 1; page < MOST_PAGES; page += 1) {
    const cursor = cursorOf(seen);
    if (cursor === undefined) break;
    seen = await send({ ...input, params: { ...input.params, cursor } }, context);
    names.push(...stringsOf(seen['names']));
    uris.push(...stringsOf(seen['uris']));
    results.push(seen['result']);
  }
  if (seen['names'] === undefined) return seen;
  return {
    ...seen,
    result: onePage(results),
    names: names.toSorted(),
    ...(uris.length > 0 && { uris: uris.toSorted() }),
  };
}

/** The last page with the items of all: how many there are on a page is for the server to say. */
function onePage(results: readonly unknown[]): unknown {
  const last = results.at(-1);
  if (results.length < 2 || !isObject(last)) return last;
  const whole = Object.entries(last).map(([member, value]) => [
    member,
    isList(value) ? results.flatMap((page) => (isObject(page) && isList(page[member]) ? page[member] : [])) : value,
  ]);
  return Object.fromEntries(whole);
}

function cursorOf({ result }: Observation): string | undefined {
  const cursor =
    typeof result === 'object' && result !== null && 'nextCursor' in result ? result.nextCursor : undefined;
  return typeof cursor === 'string' ? cursor : undefined;
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

async function send(input: McpInput, context: StepContext): Promise<Observation> {
  const client = clientsOf(context).get(input.client ?? '') ?? NEW;
  const target = { ...targetOf(input, context), hostHeader: input.host ?? context.host, version: input.httpVersion };
  const seen = await exchange(mcpCall(input, client), target, context);
  const hasNoAnswer = [input.notify, input.reply, input.listen, input.delete].some((one) => one !== undefined);
  return { ...seen, ...readMcpAnswer(documents(seen), { asked: !hasNoAnswer, status: seen['status'] }) };
}

function documents({ headers, body, json }: Observation): readonly unknown[] {
  const type =
    typeof headers === 'object' && headers !== null && 'content-type' in headers ? String(headers['content-type']) : '';
  if (!/^text\/event-stream\b/i.test(type)) return json === undefined ? [] : [json];
  return eventsOf(typeof body === 'string' ? body : '').map(({ data }) => data);
}

/** The clients of a case by name; they live as long as its background. */
const clients = new WeakMap<object, Map<string, McpClient>>();

function clientsOf({ background }: StepContext): Map<string, McpClient> {
  const known = clients.get(background) ?? new Map<string, McpClient>();
  clients.set(background, known);
  return known;
}
