import { fromJsonString, type JsonObject, toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import { jsonText } from '../../../cel/results.ts';
import type { Asked } from '../asked.ts';
import { messageVariables } from '../message-variables.ts';
import type { Guard } from './guard.ts';

/** GUARDMCP-017: what the expressions make of the request; one that fails has no value to send. */
export function metadataFor(asked: Asked, { metadata }: Guard): JsonObject {
  const variables = messageVariables(asked);
  const values = metadata.flatMap(([name, program]) => {
    const evaluation = program.evaluate(variables);
    return evaluation.ok ? [[name, jsonText(evaluation.value)] as const] : [];
  });
  return Object.fromEntries(
    values.map(([name, text]) => [name, toJson(ValueSchema, fromJsonString(ValueSchema, text))]),
  );
}
