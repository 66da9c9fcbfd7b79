import { schemaViolations, withoutUnknownFields } from '../../admission/schema-violations.ts';
import { pathText } from '../../admission/violation.ts';
import { type Fields, isFields } from '../../resources/groups.ts';
import { KINDS } from '../../resources/kinds.ts';
import type { ServedKind } from './served-kinds.ts';
import type { FieldValidation } from './write-options.ts';

/**
 * The object without the fields nobody knows, when the client asked for leniency; with `Warn`, one warning for each.
 * With `Strict` they stay, and admission refuses them.
 */
export function pruneUnknown(
  kind: ServedKind,
  object: Fields,
  validation: FieldValidation,
): { readonly object: Fields; readonly warnings: readonly string[] } {
  if (validation === 'Strict') return { object, warnings: [] };
  const { schema } = KINDS[kind.name];
  const parsed = schema.safeParse(object);
  if (parsed.success) return { object, warnings: [] };
  const unknown = parsed.error.issues.filter(({ code }) => code === 'unrecognized_keys');
  const known = withoutUnknownFields(object, unknown);
  const warnings = schemaViolations({ schema, value: object }, unknown).map(
    ({ path, message }) => `${pathText(path)}: ${message}; it is left out`,
  );
  return { object: isFields(known) ? known : object, warnings: validation === 'Warn' ? warnings : [] };
}
