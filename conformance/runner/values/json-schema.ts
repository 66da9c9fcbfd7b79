import { z } from 'zod';
import { isObject, type JsonObject } from './json.ts';

/** What stands at the head of a published schema. */
export interface SchemaHead {
  /** `urn:proxy-conformance:NAME:v1` */
  readonly $id: string;
  readonly title: string;
  readonly description: string;
}

/** The JSON Schema of what somebody may write: defaults may be left out, and what `meta` says stands beside each member. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const generated: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  if (!isObject(generated)) return {};
  const { $schema: _, ...rest } = generated;
  return rest;
}

/** A published schema as the text of its file. */
export function schemaText(head: SchemaHead, schema: JsonObject): string {
  const dialect = 'https://json-schema.org/draft/2020-12/schema';
  return `${JSON.stringify({ $schema: dialect, ...schema, ...head }, null, 2)}\n`;
}
