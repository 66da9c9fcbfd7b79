import { jsonSchemaOf, schemaText } from '../values/json-schema.ts';
import { knownFailuresSchema } from './known-failures.ts';

/** Where the published schema of lists of known failures lies, relative to the package. */
export const KNOWN_SCHEMA_FILE = 'schemas/known-failures.schema.json';

/** The JSON Schema of a list of known failures as text. */
export function knownSchemaText(): string {
  const head = {
    $id: 'urn:proxy-conformance:known-failures:v1',
    title: 'Known failures of an implementation',
    description: 'Cases that are known not to pass, each with its reason. docs/guide/how-results-are-judged.md',
  };
  return schemaText(head, jsonSchemaOf(knownFailuresSchema));
}
