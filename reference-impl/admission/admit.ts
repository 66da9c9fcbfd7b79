import { isFields } from '../resources/groups.ts';
import { groupOf, isKindName, KINDS, type Resource } from '../resources/kinds.ts';
import { type ExpressionCheck, expressionWarnings } from './expressions.ts';
import { nearest } from './nearest.ts';
import { ruleViolations } from './rules/rules.ts';
import { schemaViolations } from './schema-violations.ts';
import { shapeViolations } from './shape.ts';
import type { Violation } from './violation.ts';

/** A resource to be trusted from here on, or everything that is wrong with it (ADMIT-153). */
export type Admission =
  | { readonly ok: true; readonly resource: Resource; readonly warnings: readonly Violation[] }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * Checks one submitted resource: plain data, known kind, schema, then the rules of its kind. Never throws. Absent fields
 * stay absent, only the namespace is filled in. With `checkExpression` expressions that do not compile become warnings:
 * they are reported in status, not refused.
 */
export function admit(value: unknown, checkExpression?: ExpressionCheck): Admission {
  const shape = shapeViolations(value);
  if (shape.length > 0) return { ok: false, violations: shape };

  const kind = kindOf(value);
  if (!kind.ok) return kind;

  const { schema } = KINDS[kind.name];
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { ok: false, violations: schemaViolations(schema, value, parsed.error.issues) };

  const resource = withNamespace(parsed.data, KINDS[kind.name].namespaced);
  const violations = ruleViolations(resource);
  if (violations.length > 0) return { ok: false, violations };
  return {
    ok: true,
    resource,
    warnings: checkExpression === undefined ? [] : expressionWarnings(schema, resource, checkExpression),
  };
}

type KindFound =
  | { readonly ok: true; readonly name: keyof typeof KINDS }
  | { readonly ok: false; readonly violations: readonly Violation[] };

function kindOf(value: unknown): KindFound {
  if (!isFields(value)) return refused([], 'must be an object with apiVersion, kind and metadata');
  const { apiVersion, kind } = value;
  if (typeof kind !== 'string') return refused(['kind'], 'kind is required', 'ADMIT-001');
  if (typeof apiVersion !== 'string') return refused(['apiVersion'], 'apiVersion is required', 'ADMIT-001');
  if (!isKindName(kind)) return refused(['kind'], `unknown kind ${quoted(kind)}${nearest(kind, Object.keys(KINDS))}`);
  const expected = KINDS[kind].apiVersion;
  if (apiVersion === expected) return { ok: true, name: kind };
  const known = groupOf(apiVersion) === groupOf(expected) ? 'version' : 'group';
  return refused(
    ['apiVersion'],
    `${kind} is served in ${expected}, not in ${known} ${quoted(apiVersion)}`,
    'VERSION-003',
  );
}

function refused(path: Violation['path'], message: string, clause?: string): KindFound {
  return { ok: false, violations: [clause === undefined ? { path, message } : { path, message, clause }] };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function withNamespace(resource: Resource, namespaced: boolean): Resource {
  if (!namespaced || resource.metadata.namespace !== undefined) return resource;
  return { ...resource, metadata: { ...resource.metadata, namespace: 'default' } };
}
