import { z } from 'zod';
import { caseEntrySchema, runEndShape, runStartShape } from './report-schema.ts';

const count = z.int().min(0);

/** The first event: what is known when a run begins. */
const started = z.strictObject({
  event: z.literal('started'),
  schema: z.literal(1),
  ...runStartShape,
  /** Number of results to come. */
  total: count,
  workers: z.int().min(1),
});

/** A verdict that counts, in the moment it came. */
const finished = z.strictObject({
  event: z.literal('finished'),
  /** Milliseconds since the start of the command. */
  sinceStartMs: count,
  case: caseEntrySchema,
});

/** So many results are held back and repeated, each alone. */
const repeating = z.strictObject({ event: z.literal('repeating'), count });

/** The last event, whichever way the run ended. */
const ended = z.strictObject({ event: z.literal('ended'), ...runEndShape });

/** One line of events.ndjson, version 1. `schemas/event.schema.json` is generated from this. */
export const eventSchema = z.discriminatedUnion('event', [started, finished, repeating, ended]);

export type RunEvent = z.infer<typeof eventSchema>;

/** The published file that holds the schema, relative to the package. */
export const EVENT_SCHEMA_FILE = 'schemas/event.schema.json';

/** The JSON Schema of a line of events.ndjson as it is published. */
export function eventSchemaText(): string {
  return `${JSON.stringify({ $id: 'urn:proxy-conformance:event:v1', ...z.toJSONSchema(eventSchema) }, null, 2)}\n`;
}
