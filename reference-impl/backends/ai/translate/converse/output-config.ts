import { present, type Json } from '../../../json.ts';
import { answerSchema } from '../answer-schema.ts';

/** `outputConfig` for an answer that follows a schema. Converse wants the schema as text. Throws UnsupportedByFormat for one it cannot keep. */
export function outputConfig(schema: Json, name?: string, description?: string): Json {
  const jsonSchema = present({ schema: JSON.stringify(answerSchema(schema)), name, description });
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}
