import { readFeatures } from '../clauses/features.ts';
import { isObject, type JsonObject } from '../values/json.ts';
import { jsonSchemaOf, schemaText } from '../values/json-schema.ts';
import { manifestSchema } from './manifest-schema.ts';

/** Where the published schema of implementation.yaml lies, relative to the package. */
export const MANIFEST_SCHEMA_FILE = 'schemas/implementation.schema.json';

/** The JSON Schema of implementation.yaml as text; it knows the features by name. */
export function manifestSchemaText(): string {
  const head = {
    $id: 'urn:proxy-conformance:implementation:v1',
    title: 'implementation.yaml: how an implementation is plugged into the proxy conformance suite',
    description: 'Contract between an implementation and the suite. docs/guide/plug-in-an-implementation.md',
  };
  const { properties, ...rest } = jsonSchemaOf(manifestSchema);
  const members = isObject(properties) ? properties : {};
  return schemaText(head, { ...rest, properties: { ...members, features: withNames(members['features']) } });
}

/** The map of features with a member for each one there is. */
function withNames(features: unknown): JsonObject {
  const { additionalProperties: answer, propertyNames: _, ...rest } = isObject(features) ? features : {};
  const named = readFeatures().map(({ id, text }) => [id, { description: text, ...(isObject(answer) ? answer : {}) }]);
  const properties: unknown = Object.fromEntries(named);
  return { ...rest, properties, additionalProperties: false };
}
