import type { z } from 'zod';
import { isObject } from '../../../values/json.ts';
import type { LlmFormat } from '../../../values/llm-format.ts';
import type { SeenEvent } from '../sse-events.ts';
import { completionChunkSchema, completionSchema } from './completions.ts';
import { messageEventSchemas, messageSchema } from './messages.ts';
import { embeddingsSchema } from './others.ts';
import { responseEventSchemas, responseSchema } from './responses.ts';

// An answer is held against the types that the official client libraries give it: whoever reads it with them relies on every member
// that those types do not make optional. Members beyond them are the provider's own business.

/** What an answer of this format lacks, such as `choices[0].index: expected number`; empty for a complete one. */
export function documentLacks(format: LlmFormat, json: unknown): readonly string[] {
  return lacksOf(DOCUMENTS[format], json);
}

/** What the events of a stream lack, up to where it came; that it came to its end is not looked at. */
export function eventLacks(format: LlmFormat, events: readonly SeenEvent[]): readonly string[] {
  const own = events.flatMap(({ event, data }, index) => {
    if (!isObject(data) || isError(data)) return [];
    return EVENTS[format]({ event, data }).map((lack) => `events[${index}].data.${lack}`);
  });
  return [...own, ...(format === 'Completions' ? otherIds(events) : [])];
}

/** What a value lacks to be what a schema says; a member of a kind (`type`) is held against that kind only. */
export function lacksOf(schema: z.ZodType, value: unknown): readonly string[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  return issues.map((issue) => {
    const { path, message } = nearest(issue);
    return `${placeOf(path)}: ${message.replace('Invalid input: ', '')}`;
  });
}

const DOCUMENTS: Readonly<Record<LlmFormat, z.ZodType>> = {
  Completions: completionSchema,
  Messages: messageSchema,
  Responses: responseSchema,
  Embeddings: embeddingsSchema,
};

type ObjectEvent = { readonly event: string | undefined; readonly data: Readonly<Record<string, unknown>> };

const EVENTS: Readonly<Record<LlmFormat, (seen: ObjectEvent) => readonly string[]>> = {
  Completions: ({ data }) => lacksOf(completionChunkSchema, data),
  Messages: (seen) => [...nameLacks(seen), ...typedLacks(messageEventSchemas, seen)],
  Responses: (seen) => typedLacks(responseEventSchemas, seen),
  Embeddings: () => [],
};

/** An event of a type that the format does not have is nobody's: whoever reads skips it. */
function typedLacks(schemas: Readonly<Record<string, z.ZodType>>, { data }: ObjectEvent): readonly string[] {
  const schema = schemas[String(data['type'])];
  return schema === undefined ? [] : lacksOf(schema, data);
}

/** Clients of messages choose by the name of the event, which is the type of its data. */
function nameLacks({ event, data }: ObjectEvent): readonly string[] {
  return event === data['type'] ? [] : [`type: the event is named ${event ?? 'nothing'}`];
}

/** Errors have forms of their own, in which the cases look. */
function isError(data: Readonly<Record<string, unknown>>): boolean {
  return data['type'] === 'error' || (data['error'] ?? undefined) !== undefined;
}

/** The chunks of one completion have one id. */
function otherIds(events: readonly SeenEvent[]): readonly string[] {
  const ids = new Set(
    events.flatMap(({ data }) => (isObject(data) && typeof data['id'] === 'string' ? [data['id']] : [])),
  );
  return ids.size > 1 ? [`events: the chunks have several ids: ${[...ids].join(', ')}`] : [];
}

/** Of the branches of a union the one whose kind it is, and in it the first thing that is wrong. */
function nearest(issue: z.core.$ZodIssue): { readonly path: readonly PropertyKey[]; readonly message: string } {
  if (issue.code !== 'invalid_union') return issue;
  const branch =
    issue.errors.find((issues) => issues.length > 0 && issues.every(({ path }) => path.at(-1) !== 'type')) ??
    issue.errors[0];
  const first = branch?.[0];
  if (first === undefined) return issue;
  const { path, message } = nearest(first);
  return { path: [...issue.path, ...path], message };
}

function placeOf(path: readonly PropertyKey[]): string {
  const place = path.reduce<string>(
    (before, key) => (typeof key === 'number' ? `${before}[${key}]` : `${before}.${String(key)}`),
    '',
  );
  return place.replace(/^\./, '');
}
