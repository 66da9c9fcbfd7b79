import { present, type Json } from '../../json.ts';

/** `outputConfig` for an answer that follows a schema. Converse wants the schema as text. */
export function outputConfig(schema: Json, name?: string, description?: string): Json {
  const jsonSchema = present({ schema: JSON.stringify(schema), name, description });
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}
