import { isJsonObject, type Json } from '../../../../json.ts';

/**
 * A request with its members as the reference spells them. JSON of protocol buffers takes the names of the definition too (ProtoJSON,
 * "Field names": `system_instruction`), and examples of the reference are written in both. They also have one object where there could be
 * several (`"parts": {"text": "hi"}`). What is the client's own keeps its names.
 */
export function inCamelCase(request: Json): Json {
  return Object.fromEntries(
    Object.entries(request).map(([name, value]) => [camelCase(name), below(camelCase(name), value)]),
  );
}

function below(name: string, value: unknown): unknown {
  if (OWN_CONTENT.has(name)) return value;
  if (Array.isArray(value)) return value.map((one) => below('', one));
  if (!isJsonObject(value)) return value;
  if (!OWN_NAMES.has(name)) return LISTS.has(name) ? [inCamelCase(value)] : inCamelCase(value);
  return Object.fromEntries(Object.entries(value).map(([own, inner]) => [own, below('', inner)]));
}

const OWN_CONTENT: ReadonlySet<string> = new Set([
  'args',
  'response',
  'labels',
  'default',
  'example',
  'parametersJsonSchema',
  'responseJsonSchema',
]);
const LISTS: ReadonlySet<string> = new Set(['contents', 'parts', 'tools', 'functionDeclarations', 'safetySettings']);
const OWN_NAMES: ReadonlySet<string> = new Set(['properties']);

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
