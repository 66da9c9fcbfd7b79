import { compileOrFail } from '../../../cel/compile.ts';
import type { VariableSource } from '../../../cel/program.ts';
import { jsonText } from '../../../cel/results.ts';
import type { BackendAI } from '../../../resources/proxy-policy/fields/ai/backend-ai.ts';
import { parseJson, type Json } from '../../json.ts';

/** Edits the fields of a request. `variables` are those of the request before any edit. */
export type EditFields = (request: Json, variables: VariableSource) => Json;

/**
 * Compiles `overrides`, `transformations` and `defaults`. AI-012: transformations win over overrides, those over what
 * the request says, and that over the defaults.
 */
export function compileEdits({ defaults = [], overrides = [], transformations = [] }: BackendAI): EditFields {
  const computed = transformations.map(({ field, expression }) => ({ field, program: compileOrFail(expression) }));
  if (defaults.length + overrides.length + computed.length === 0) return (request) => request;
  return (request, variables) => {
    const edited = new Map(Object.entries(request));
    // XFORM-003, XFORM-007: all expressions see the request as it came, whatever the others make of it.
    const results = computed.map(({ field, program }) => [field, program.evaluate(variables)] as const);
    for (const { field } of [...overrides, ...computed]) edited.delete(OTHER_NAMES[field] ?? '');
    for (const { field, value } of overrides) edited.set(field, value);
    for (const [field, result] of results) {
      const value = result.ok ? plain(result.value) : undefined;
      // A field that cannot be computed is not sent with a value that was to be replaced.
      if (value === undefined || value === null) edited.delete(field);
      else edited.set(field, value);
    }
    // AI-001, AI-002
    for (const { field, value } of defaults) if (!edited.has(field)) edited.set(field, value);
    return Object.fromEntries(edited);
  };
}

/** AI-003: a limit that the operator sets holds whatever name the client gives it. docs/decisions/llm-backends.md */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/** A CEL value as JSON has it; whole numbers that JSON can hold exactly are numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, member]) => [String(name), plain(member)]));
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return parseJson(jsonText(value));
  if ('toJSON' in value) return parseJson(jsonText(value));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
