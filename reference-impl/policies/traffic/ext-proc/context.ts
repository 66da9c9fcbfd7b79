import { fromJsonString, toJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import { compileOrFail } from '../../../cel/compile.ts';
import type { Program, VariableSource } from '../../../cel/program.ts';
import { jsonText } from '../../../cel/results.ts';
import type { Envelope } from './messages.ts';

/** Expressions whose results the processor gets, by name. */
export type NamedPrograms = readonly (readonly [name: string, program: Program])[];

/** Where the attributes stand in the messages. */
const ATTRIBUTES = 'envoy.filters.http.ext_proc';

export function compileNamed(expressions: Readonly<Record<string, string>> = {}): NamedPrograms {
  return Object.entries(expressions).map(([name, text]) => [name, compileOrFail(text)] as const);
}

/** What one direction adds to its messages. */
export interface Context {
  readonly attributes: NamedPrograms;
  /** By namespace. */
  readonly metadata: readonly (readonly [namespace: string, programs: NamedPrograms])[];
  readonly variables: VariableSource;
  /** In the very first message of the stream only. */
  readonly protocolConfig: Envelope['protocolConfig'];
}

/**
 * Gives each message of a direction its envelope. EXTPROC-017, EXTPROC-018: attributes go with the first message of a
 * direction. EXTPROC-019: metadata goes with every one.
 */
export function envelopes({ attributes, metadata, variables, protocolConfig }: Context): () => Envelope {
  const values = evaluatePrograms(attributes, variables);
  const filterMetadata = Object.fromEntries(
    metadata.map(([namespace, programs]) => [namespace, evaluatePrograms(programs, variables)] as const),
  );
  const always: Envelope = metadata.length === 0 ? {} : { metadataContext: { filterMetadata } };
  let first = true;
  return () => {
    if (!first) return always;
    first = false;
    return {
      ...always,
      ...(attributes.length === 0 ? {} : { attributes: { [ATTRIBUTES]: values } }),
      ...(protocolConfig === undefined ? {} : { protocolConfig }),
    };
  };
}

/** An expression that fails has no value to send. */
function evaluatePrograms(programs: NamedPrograms, variables: VariableSource): JsonObject {
  const values = programs.flatMap(([name, program]) => {
    const evaluation = program.evaluate(variables);
    return evaluation.ok ? [[name, asJson(evaluation.value)] as const] : [];
  });
  return Object.fromEntries(values);
}

function asJson(value: unknown): JsonValue {
  return toJson(ValueSchema, fromJsonString(ValueSchema, jsonText(value)));
}
