import { z } from 'zod';
import { peerSchema } from '../peers/peer-schema.ts';
import { tokensSchema } from '../peers/token-schema.ts';
import { orPlaceholder } from '../steps/authoring.ts';
import { stepSchema } from '../steps/registry.ts';

const levels = z.enum(['must', 'should', 'observe']);
const layers = z.enum(['op', 'wire', 'trace', 'property', 'cluster']);
const isolations = z.enum(['host', 'instance', 'exclusive']);
const vantages = z.array(z.enum(['op', 'trace', 'wire'])).min(1);
const anyObject = z.record(z.string(), z.unknown());
const name = z.string().regex(/^[a-z0-9-]+$/, 'expected lower-case letters, digits and dashes');
const openPoint = z.string().regex(/^U-\d{3}$/, 'expected an open point such as U-012');

const path = z
  .strictObject({ exact: z.string().optional(), prefix: z.string().optional(), regex: z.string().optional() })
  .refine((value) => Object.keys(value).length === 1, 'a path match is one of exact, prefix, regex');

const weight = orPlaceholder(z.int().min(0)).optional();
const filters = z.array(anyObject).optional();
const target = z.union([
  z.string(),
  z.strictObject({ peer: z.string(), weight, filters }),
  z.strictObject({ backend: z.string(), namespace: z.string().optional(), weight, filters }),
  z.strictObject({
    service: z.string(),
    namespace: z.string().optional(),
    port: orPlaceholder(z.int()).optional(),
    weight,
    filters,
  }),
]);
const targets = z.union([target, z.array(target)]);

const rule = z.strictObject({
  name: name.optional(),
  path: path.optional(),
  method: z.string().optional(),
  headers: z.union([anyObject, z.array(anyObject)]).optional(),
  query: z.union([anyObject, z.array(anyObject)]).optional(),
  to: targets.optional(),
  filters,
  timeouts: anyObject.optional(),
});

const route = z.strictObject({
  name,
  labels: z.record(z.string(), z.string()).optional(),
  listener: name.optional(),
  listenerSet: name.optional(),
  host: z.union([z.string(), z.array(z.string())]).optional(),
  rules: z.array(rule).min(1),
});

const listener = z.strictObject({
  name,
  hostname: z.union([z.string(), z.null()]).optional(),
  port: z.enum(['shared', 'own']).default('shared'),
});

/** Listeners, routes and rules in neutral form. */
export const topologySchema = z.strictObject({
  preset: z.enum(['one-route', 'none']).optional(),
  to: targets.optional(),
  listeners: z.array(listener).min(1).optional(),
  listenerSets: z.array(z.strictObject({ name, listeners: z.array(listener).min(1) })).optional(),
  routes: z.array(route).min(1).optional(),
});
export type WrittenTopology = z.infer<typeof topologySchema>;
export type WrittenTargets = z.infer<typeof targets>;

const resource = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

const vary = z
  .strictObject({
    rows: z.array(z.looseObject({ name })).min(1).optional(),
    matrix: z.record(z.string(), z.array(z.unknown()).min(1)).optional(),
    permute: z.literal('config').optional(),
  })
  .refine((value) => Object.keys(value).length > 0, 'vary needs rows, matrix or permute');

const property = z.looseObject({
  runs: z.int().min(1),
  arbitrary: anyObject,
  check: z.array(anyObject).min(1),
});

/** Cases made from `docs/spec/fields.yaml` instead of written steps. */
const generate = z.strictObject({
  boundaries: z.strictObject({
    /** Kinds and building blocks; all of the table when absent. */
    kinds: z.array(z.string()).min(1).optional(),
    /** Defect to a glob over the ids of the cases that would catch it. */
    kills: z.record(name, z.string()).optional(),
  }),
});

const expectation = z
  .strictObject({
    received: anyObject.optional(),
    attempted: anyObject.optional(),
    trace: z.record(z.string(), anyObject).optional(),
    telemetry: anyObject.optional(),
    config: z.union([z.enum(['accepted', 'rejected']), anyObject]).optional(),
  })
  .refine((value) => Object.keys(value).length > 0, 'expect needs at least one expectation');

const caseSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'expected an id such as policy.merge.per-field'),
    title: z
      .string()
      .min(10, 'a title states a fact in 10 to 140 characters')
      .max(140, 'a title states a fact in 10 to 140 characters'),
    clauses: z.array(z.strictObject({ id: z.string(), as: z.enum(['positive', 'negative']) })).min(1),
    level: levels.optional(),
    layer: layers.optional(),
    isolation: isolations.optional(),
    vantage: vantages.optional(),
    needs: z.array(z.string()).optional(),
    assumes: z.array(openPoint).optional(),
    vary: vary.optional(),
    topology: topologySchema.optional(),
    config: z.array(resource).optional(),
    peers: z.record(name, peerSchema).optional(),
    tokens: tokensSchema.optional(),
    steps: z.array(stepSchema).min(1).optional(),
    property: property.optional(),
    generate: generate.optional(),
    expect: expectation.optional(),
    witness: z.array(z.string()).optional(),
    kills: z.array(name).optional(),
    notes: z.string().optional(),
  })
  .refine((value) => [value.steps, value.property, value.generate].filter((one) => one !== undefined).length === 1, {
    message: 'a case has either steps, a property or generate',
  });

/** What a file says for all its cases; a case's own word wins. */
const defaultsSchema = z.strictObject({
  level: levels.optional(),
  layer: layers.optional(),
  isolation: isolations.optional(),
  vantage: vantages.optional(),
  needs: z.array(z.string()).optional(),
  topology: topologySchema.optional(),
  peers: z.record(name, peerSchema).optional(),
});

/** A case file. `schemas/case.schema.json` is generated from this. */
export const caseFileSchema = z.strictObject({
  suite: z.string().regex(/^[a-z0-9]+(\.[a-z0-9-]+)*$/, 'expected a suite name such as policy.merge'),
  defaults: defaultsSchema.optional(),
  cases: z.array(caseSchema).min(1),
});
export type CaseFile = z.infer<typeof caseFileSchema>;
export type WrittenCase = CaseFile['cases'][number];
