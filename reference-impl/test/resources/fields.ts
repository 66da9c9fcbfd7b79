import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

/** One row of docs/spec/fields.yaml; that file explains the members. */
const row = z.object({
  kind: z.string(),
  path: z.string(),
  type: z.string(),
  required: z.union([z.boolean(), z.literal('conditional')]).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  enum: z.array(z.string()).optional(),
  open: z.boolean().optional(),
  default: z.json().optional(),
  defaultKey: z.string().optional(),
  clauses: z.record(z.string(), z.string()).optional(),
});

export type FieldRow = z.infer<typeof row>;

export const FIELD_ROWS: readonly FieldRow[] = z
  .array(row)
  .parse(parse(readFileSync(new URL('../../../docs/spec/fields.yaml', import.meta.url), 'utf8')));

const KIND_NAMES: ReadonlySet<string> = new Set(['ProxyBackend', 'ProxyModel', 'ProxyParameters', 'ProxyPolicy']);

/** Types no field names as its type, because the document does not show the fields that carry them. */
const CARRIERS: Readonly<Record<string, string>> = {
  Timeouts: 'ProxyPolicy spec.traffic.timeouts',
  Retry: 'ProxyPolicy spec.traffic.retry',
  Delay: 'ProxyPolicy spec.traffic.delay',
  CSRF: 'ProxyPolicy spec.traffic.csrf',
  HeaderModifiers: 'ProxyPolicy spec.traffic.headerModifiers',
  Buffer: 'ProxyPolicy spec.traffic.buffer',
  HostnameRewrite: 'ProxyPolicy spec.traffic.hostRewrite',
  APIKeyAuthentication: 'ProxyPolicy spec.traffic.apiKeyAuthentication',
  BasicAuthentication: 'ProxyPolicy spec.traffic.basicAuthentication',
  HeaderTransformation: 'ProxyPolicy spec.traffic.transformation.request.set[]',
  DirectResponseOrConditional: 'ProxyPolicy spec.traffic.directResponse',
  ExtAuthOrConditional: 'ProxyPolicy spec.traffic.extAuth',
  RateLimitsOrConditional: 'ProxyPolicy spec.traffic.rateLimit',
  ProcessingOptions: 'ProxyPolicy spec.traffic.extProc.processingOptions',
  ModelTargetReference: 'ProxyModel spec.virtualModel.weighted.targets[]',
};

/** Types that are not part of a submitted resource of ours. */
export const NOT_SUBMITTED: Readonly<Record<string, string>> = {
  APIKeyEntry: 'is the content of a Secret or ConfigMap',
  ProxyModelList: 'is what an API server answers',
  ListMeta: 'is what an API server answers',
  Transformation: 'has no row but its name',
  BackendConnectionPolicy: 'has its fields in the policies of the guards, which have rows of their own',
};

/** A field of one kind, step by step; `[]` is an item of a list, `*` an entry of a map. */
export interface Place {
  readonly kind: string;
  readonly steps: readonly string[];
}

/** Every place of every type, found by following the types of fields from the four kinds on. */
export function placesOfTypes(): ReadonlyMap<string, readonly Place[]> {
  const places = new Map<string, Place[]>();
  const add = (type: string, place: Place, depth: number): void => {
    const { name, steps } = elementOf(type, place.steps);
    if (depth > 24) throw new Error(`types go round in circles at ${name}`);
    const at = { kind: place.kind, steps };
    places.set(name, [...(places.get(name) ?? []), at]);
    for (const inner of FIELD_ROWS.filter(({ kind, path }) => kind === name && path !== '.'))
      add(inner.type, { kind: at.kind, steps: [...at.steps, ...stepsOf(inner.path)] }, depth + 1);
  };
  for (const kind of KIND_NAMES) add(kind, { kind, steps: [] }, 0);
  for (const [type, carrier] of Object.entries(CARRIERS)) {
    const [kind = '', path = ''] = carrier.split(' ');
    add(type, { kind, steps: stepsOf(path) }, 0);
  }
  return places;
}

/** The steps of a path of the table. */
export function stepsOf(path: string): string[] {
  if (path === '.' || path === '(inline)') return [];
  return path.split('.').flatMap((part) => (part.endsWith('[]') ? [part.slice(0, -2), '[]'] : [part]));
}

/** The type inside `array<X>` and `map<string,X>`. */
function elementOf(
  type: string,
  steps: readonly string[],
): { readonly name: string; readonly steps: readonly string[] } {
  const list = /^array<(.+)>$/.exec(type)?.[1];
  if (list !== undefined) return { name: list, steps: [...steps, '[]'] };
  const map = /^map<string,(.+)>$/.exec(type)?.[1];
  return map === undefined ? { name: type, steps } : { name: map, steps: [...steps, '*'] };
}
