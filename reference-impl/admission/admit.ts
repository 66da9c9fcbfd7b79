import { PROXY_API_GROUP } from '../resources/envelope.ts';
import { isFields } from '../resources/groups.ts';
import { groupOf, isKindName, KINDS, type Resource } from '../resources/kinds.ts';
import { deprecationWarnings } from './deprecations.ts';
import { type ExpressionCheck, expressionWarnings } from './expressions.ts';
import { nearest } from './nearest.ts';
import { ruleViolations } from './rules/rules.ts';
import { schemaViolations, withoutUnknownFields } from './schema-violations.ts';
import { shapeViolations } from './shape.ts';
import { translationProblems } from './translation.ts';
import type { Violation } from './violation.ts';
import { withoutNulls } from './without-nulls.ts';

/** A resource to be trusted from here on, or everything that is wrong with it (ADMIT-153). */
export type Admission =
  | { readonly ok: true; readonly resource: Resource; readonly warnings: readonly Violation[] }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * Checks one submitted resource: plain data, known kind, schema, then the rules of its kind. Never throws. Absent fields
 * stay absent, as do those that are null; only the namespace is filled in. Deprecated fields are warnings, and so is what status reports instead of being
 * refused: what cannot be translated, and, with `checkExpression`, expressions that do not compile.
 */
export function admit(value: unknown, checkExpression?: ExpressionCheck): Admission {
  const shape = shapeViolations(value);
  if (shape.length > 0) return refused(shape);

  const kind = kindOf(value);
  if (!kind.ok) return kind;

  const { schema, namespaced, apiVersion } = KINDS[kind.name];
  const written = withoutNulls(schema, withoutEmptyNamespace(value));
  const parsed = schema.safeParse(written);
  if (!parsed.success) {
    const checked = {
      schema,
      value: written,
      ...(groupOf(apiVersion) === PROXY_API_GROUP && { tableClause: 'ADMIT-153' }),
    };
    const violations = schemaViolations(checked, parsed.error.issues);
    const known = schema.safeParse(withoutUnknownFields(written, parsed.error.issues));
    // Unknown fields do not hide what the rules have to say about the known ones.
    return refused(known.success ? [...violations, ...ruleViolations(known.data)] : violations);
  }
  const resource = withNamespace(parsed.data, namespaced);
  const violations = ruleViolations(resource);
  if (violations.length > 0) return refused(violations);
  const expressions = checkExpression === undefined ? [] : expressionWarnings(schema, resource, checkExpression);
  const warnings = [...deprecationWarnings(schema, resource), ...translationProblems(schema, resource), ...expressions];
  return { ok: true, resource, warnings };
}

type Refused = Extract<Admission, { readonly ok: false }>;

function refused(violations: readonly Violation[]): Refused {
  return { ok: false, violations };
}

type KindFound = Refused | { readonly ok: true; readonly name: keyof typeof KINDS };

function kindOf(value: unknown): KindFound {
  if (!isFields(value)) return refusedKind([], 'must be an object with apiVersion, kind and metadata');
  const { apiVersion, kind } = value;
  if (typeof kind !== 'string') return refusedKind(['kind'], 'kind is required', 'ADMIT-001');
  if (typeof apiVersion !== 'string') return refusedKind(['apiVersion'], 'apiVersion is required', 'ADMIT-001');
  if (!isKindName(kind))
    return refusedKind(['kind'], `unknown kind ${quote(kind)}${nearest(kind, Object.keys(KINDS))}`);
  const expected = KINDS[kind].apiVersion;
  if (apiVersion === expected) return { ok: true, name: kind };
  const known = groupOf(apiVersion) === groupOf(expected) ? 'version' : 'group';
  return refusedKind(
    ['apiVersion'],
    `${kind} is served in ${expected}, not in ${known} ${quote(apiVersion)}`,
    'VERSION-003',
  );
}

function refusedKind(path: Violation['path'], message: string, clause?: string): Refused {
  return refused([clause === undefined ? { path, message } : { path, message, clause }]);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** Whose namespace is empty says as little as one who names none. */
function withoutEmptyNamespace(value: unknown): unknown {
  if (!isFields(value) || !isFields(value['metadata'])) return value;
  const { namespace, ...metadata } = value['metadata'];
  return namespace === '' ? { ...value, metadata } : value;
}

function withNamespace(resource: Resource, namespaced: boolean): Resource {
  if (!namespaced || resource.metadata.namespace !== undefined) return resource;
  return { ...resource, metadata: { ...resource.metadata, namespace: 'default' } };
}
