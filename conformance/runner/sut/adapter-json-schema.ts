import { isObject, type JsonObject } from '../values/json.ts';
import { jsonSchemaOf, schemaText } from '../values/json-schema.ts';
import { answerSchemas, operationSchemas, requestSchemas } from './adapter-messages.ts';

/** Where the published schema of the messages of adapters lies, relative to the package. */
export const ADAPTER_SCHEMA_FILE = 'schemas/adapter.schema.json';

/**
 * The JSON Schema of every message of the adapter protocol as text: `$defs` has `hello-request`, `hello-answer` and so on, `request` and
 * `answer` for any of them, and `effective-policy-input`, `effective-policy-result` and so on for what operations ask and answer.
 */
export function adapterSchemaText(): string {
  const head = {
    $id: 'urn:proxy-conformance:adapter:v1',
    title: 'Messages between the proxy conformance suite and an adapter, version 1',
    description: 'One JSON object per line; each command is answered by one line. docs/guide/adapter-protocol.md',
  };
  const requests = { ...defsOf(requestSchemas, 'request'), 'other-request': otherRequest() };
  const { 'unknown-answer': otherAnswer, ...answers } = defsOf(answerSchemas, 'answer');
  const messages = { ...withInputs(requests), ...answers, 'other-answer': otherAnswer };
  const $defs = {
    request: anyOf(Object.keys(requests), 'A line from the suite.'),
    answer: anyOf([...Object.keys(answers), 'other-answer'], 'A line from the adapter.'),
    ...messages,
    ...operationDefs(),
  };
  return schemaText(head, { anyOf: [refTo('request'), refTo('answer')], $defs });
}

type Schemas = Readonly<Record<string, Parameters<typeof jsonSchemaOf>[0]>>;

function defsOf(schemas: Schemas, kind: string): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${name}-${kind}`, jsonSchemaOf(schema)]));
}

function operationDefs(): JsonObject {
  const defs = Object.entries(operationSchemas).map(([name, { input, result }]) => ({
    [`${name}-input`]: jsonSchemaOf(input),
    [`${name}-result`]: jsonSchemaOf(result),
  }));
  return Object.fromEntries(defs.flatMap((pair) => Object.entries(pair)));
}

/** The input of an operation that has a shape follows it. */
function withInputs(requests: Readonly<Record<string, JsonObject>>): JsonObject {
  const rules = Object.keys(operationSchemas).map((name) => ({
    anyOf: [{ properties: { op: { not: { const: name } } } }, { properties: { input: refTo(`${name}-input`) } }],
  }));
  return { ...requests, 'op-request': { ...requests['op-request'], allOf: rules } };
}

/** What a later version, or the probe for honesty, may ask. */
function otherRequest(): JsonObject {
  const { seq } = propertiesOf(jsonSchemaOf(requestSchemas.stop));
  return {
    type: 'object',
    description: 'A command that this version does not know.',
    properties: {
      seq,
      cmd: { type: 'string', description: 'Its name.', not: { enum: Object.keys(requestSchemas) } },
    },
    required: ['seq', 'cmd'],
  };
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}

function anyOf(names: readonly string[], description: string): JsonObject {
  return { description, anyOf: names.map(refTo) };
}

function refTo(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}
