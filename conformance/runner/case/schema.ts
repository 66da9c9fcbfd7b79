import { z } from 'zod';
import { peerSchema } from '../peers/peer-schema.ts';
import { tokensSchema } from '../peers/token-schema.ts';
import { MATCHERS_MARK, orPlaceholder } from '../steps/authoring.ts';
import { stepSchema } from '../steps/registry.ts';

const levels = z.enum(['must', 'should', 'observe']);
const layers = z.enum(['op', 'wire', 'trace', 'property', 'cluster']);
const isolations = z.enum(['host', 'instance', 'exclusive']);
const vantages = z.array(z.enum(['op', 'trace', 'wire'])).min(1);
const anyObject = z.record(z.string(), z.unknown());
const expected = anyObject.meta(MATCHERS_MARK);
const name = z.string().regex(/^[a-z0-9-]+$/, 'expected lower-case letters, digits and dashes');
const openPoint = z.string().regex(/^U-\d{3}$/, 'expected an open point such as U-012');

const path = z
  .strictObject({
    exact: z.string().optional().describe('the whole path, without its query'),
    prefix: z
      .string()
      .optional()
      .describe('a beginning of the path that ends at a slash or with the path: /a takes /a/b, not /ab'),
    regex: z.string().optional().describe('a regular expression, as RegularExpression of an HTTPRoute'),
  })
  .refine((value) => Object.keys(value).length === 1, 'a path match is one of exact, prefix, regex');

const weight = orPlaceholder(z.int().min(0))
  .optional()
  .describe('share of the requests, relative to the other targets of the rule; 1 when absent, 0 for none');
const filters = z
  .array(anyObject)
  .optional()
  .describe('filters as they stand in an HTTPRoute, such as RequestRedirect');
const namespace = z.string().optional().describe('the namespace of the case when absent');
const target = z.union([
  z.string(),
  z.strictObject({ peer: z.string().describe('name of a peer; it gets a ProxyBackend of its own'), weight, filters }),
  z.strictObject({ backend: z.string().describe('name of a ProxyBackend in config'), namespace, weight, filters }),
  z.strictObject({
    service: z.string().describe('name of a Service in config, or of a peer that is to be reached as one'),
    namespace,
    port: orPlaceholder(z.int()).optional().describe('port of the Service; its only one when absent'),
    weight,
    filters,
  }),
]);
const targets = z.union([target, z.array(target)]);

const rule = z.strictObject({
  name: name.optional().describe('name of the rule, by which a policy finds it with { at: rule, name }'),
  path: path
    .optional()
    .describe('which paths the rule takes, as { exact }, { prefix } or { regex }; every one when absent'),
  method: z.string().optional().describe('which method the rule takes, such as GET; every one when absent'),
  headers: z
    .union([anyObject, z.array(anyObject)])
    .optional()
    .describe('headers the rule wants, as { x-a: v, x-b: { regex: ^v } }; all of them'),
  query: z
    .union([anyObject, z.array(anyObject)])
    .optional()
    .describe('query parameters the rule wants, as { a: v, b: { regex: ^v } }; all of them'),
  to: targets
    .optional()
    .describe(
      'where the rule sends to: a peer, or { peer, weight }, { service }, { backend }, or a list; the only peer when absent',
    ),
  filters,
  timeouts: anyObject
    .optional()
    .describe('timeouts as they stand in an HTTPRoute: { request: 1s, backendRequest: 500ms }'),
});

const route = z.strictObject({
  name: name.describe('name of the HTTPRoute'),
  labels: z.record(z.string(), z.string()).optional().describe('labels of the HTTPRoute, for targetSelectors'),
  listener: name.optional().describe('the listener the route hangs on; every one of the Gateway when absent'),
  listenerSet: name.optional().describe('the set of listeners the route hangs on instead of the Gateway'),
  host: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('hostnames of the route; that of the listener when absent'),
  rules: z.array(rule).min(1).describe('the rules of the route, in the order in which they stand in it'),
});

const listener = z.strictObject({
  name: name.describe('name of the listener; ${listeners.NAME.port} is where it listens'),
  hostname: z
    .union([z.string(), z.null()])
    .optional()
    .describe('which hosts it takes: the host of the case when absent, every one for null (port: own)'),
  port: z
    .enum(['shared', 'own'])
    .default('shared')
    .describe('shared: the data port of all cases; own: a free port, for what depends on a port'),
  certificates: z
    .array(name)
    .min(1)
    .optional()
    .describe('Secrets of the case whose certificates it shows: it takes HTTPS then (port: own)'),
});

/** Listeners, routes and rules in neutral form. */
export const topologySchema = z.strictObject({
  preset: z
    .enum(['one-route', 'none'])
    .optional()
    .describe(
      'one-route (default): Gateway gw, listener http, route r with rule rule; none: nothing, config says it all',
    ),
  to: targets.optional().describe('where the one route sends to; the only peer when absent'),
  listeners: z.array(listener).min(1).optional().describe('listeners of the Gateway; one named http when absent'),
  listenerSets: z
    .array(
      z.strictObject({
        name: name.describe('name of the ListenerSet'),
        listeners: z.array(listener).min(1).describe('its listeners, which hang on the Gateway'),
      }),
    )
    .optional()
    .describe('ListenerSets of the Gateway'),
  routes: z.array(route).min(1).optional().describe('the routes, instead of the one that is there without them'),
});
export type WrittenTopology = z.infer<typeof topologySchema>;
export type WrittenTargets = z.infer<typeof targets>;

const resource = z.looseObject({
  kind: z.string().describe('kind of the resource; apiVersion follows from it'),
  metadata: z
    .looseObject({ name: z.string().describe('name of the resource') })
    .describe('name, labels and the like; the namespace is that of the case when absent'),
});

const vary = z
  .strictObject({
    rows: z
      .array(
        z.looseObject({
          name: name.describe('what stands in the brackets of the id; a letter or two words'),
          needs: z.array(z.string()).optional().describe('features that this row needs beside those of its case'),
        }),
      )
      .min(1)
      .optional()
      .describe('one concrete case per row; ${row.MEMBER} stands for what the row gives'),
    matrix: z
      .record(z.string(), z.array(z.unknown()).min(1))
      .optional()
      .describe('every combination of these values, as ${row.NAME}; times the rows when there are rows'),
    permute: z
      .literal('config')
      .optional()
      .describe('every order of the resources in config (rotations above four): what the order may not matter to'),
  })
  .refine((value) => Object.keys(value).length > 0, 'vary needs rows, matrix or permute');

const requires = z
  .array(z.string())
  .optional()
  .describe(
    'ids of cases or of single rows that show what this one stands on: when one of them is red, this one is blocked, not failed',
  );

const property = z.looseObject({
  runs: z.int().min(1).describe('how many examples are drawn'),
  arbitrary: anyObject.describe('what is drawn: { policies: { max: 6 } } is up to six policies'),
  check: z
    .array(anyObject)
    .min(1)
    .describe('what must hold of each: [{ model: merge }] compares with the model of the merge'),
});

/** Cases made from `docs/spec/fields.yaml` instead of written steps. */
const generate = z.strictObject({
  boundaries: z
    .strictObject({
      kinds: z
        .array(z.string())
        .min(1)
        .optional()
        .describe('only these kinds and building blocks of docs/spec/fields.yaml; all when absent'),
      kills: z
        .record(name, z.string())
        .optional()
        .describe('defect to a glob over the ids of the cases that would catch it'),
    })
    .describe('a valid and a refused value at each boundary of each field'),
});

const expectation = z
  .strictObject({
    received: expected
      .optional()
      .describe('what each peer got, by its name: a list is exact in order and number, [{ GET: /a }]; or a matcher'),
    attempted: expected.optional().describe('how many connections each peer saw, by its name: a number or a matcher'),
    trace: z
      .record(z.string(), expected)
      .optional()
      .describe(
        'by the name of a trace step: closed, status, headers, events, selections, bodies, sequence, invariants',
      ),
    config: z
      .union([z.enum(['accepted', 'rejected']), expected])
      .optional()
      .describe(
        'what becomes of config: accepted, rejected, or { rejected: [{ path, message }] }; accepted when absent',
      ),
  })
  .refine((value) => Object.keys(value).length > 0, 'expect needs at least one expectation');

const needs = z
  .array(z.string())
  .optional()
  .describe('features of docs/spec/features.yaml without which the case is unsupported; what the steps need is added');
const level = levels
  .optional()
  .describe(
    'must: a failure fails the run; should: it is told; observe: what was seen is recorded; follows from the clauses and need not be written',
  );
const layer = layers.optional().describe('op, wire, trace, property or cluster; follows from the steps');
const isolation = isolations
  .optional()
  .describe(
    'host: shares one process with others; instance: a process of its own; exclusive: nobody else sends meanwhile',
  );
const vantage = vantages
  .optional()
  .describe('through which windows the case looks, one concrete case each: op asks the adapter, trace reads the trace');
const topology = topologySchema
  .optional()
  .describe('listeners, routes and where they lead; one route to the only peer when absent');
const peers = z
  .record(name, peerSchema)
  .optional()
  .describe('servers that are started for the case, by name; ${peers.NAME.url} and the like say where');

const caseSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'expected an id such as policy.merge.per-field')
      .describe('for ever, whatever becomes of the file: words with dashes, joined by dots'),
    title: z
      .string()
      .min(10, 'a title states a fact in 10 to 140 characters')
      .max(140, 'a title states a fact in 10 to 140 characters')
      .describe('what is true of a right implementation, as a fact and not as a wish'),
    clauses: z
      .array(
        z.strictObject({
          id: z.string().describe('id of the register, such as MERGE-010; conform search finds it'),
          as: z
            .enum(['positive', 'negative'])
            .describe('positive: what must happen does; negative: what must not happen does not'),
        }),
      )
      .min(1)
      .describe('the clauses that the case shows, each with its polarity'),
    level,
    layer,
    isolation,
    vantage,
    needs,
    requires,
    assumes: z
      .array(openPoint)
      .optional()
      .describe('open points (U-nnn) the case steps on; the manifest may answer them'),
    vary: vary.optional().describe('makes several concrete cases of one, with ids such as id[row]'),
    topology,
    config: z
      .array(resource)
      .optional()
      .describe(
        'resources as an operator writes them; { at: route } fills targetRefs, { peer: up } fills host and port',
      ),
    peers,
    tokens: tokensSchema
      .optional()
      .describe('tokens by name, signed by an idp peer before the first step; ${tokens.NAME} stands for one'),
    steps: z
      .array(stepSchema)
      .min(1)
      .optional()
      .describe('what is done, one after another; each may look at what it saw'),
    property: property.optional().describe('instead of steps: holds for many drawn examples'),
    generate: generate.optional().describe('instead of steps: cases made from the table of fields'),
    expect: expectation
      .optional()
      .describe('what is judged after the steps: what peers got, traces, the configuration'),
    witness: z
      .array(z.string())
      .optional()
      .describe(
        'paths such as received.idp without which the case has shown nothing: inconclusive when they are empty',
      ),
    kills: z
      .array(name)
      .optional()
      .describe('defects of conformance/gallery that the case must catch; at least one at must level'),
    notes: z.string().optional().describe('for whoever reads the case: why it is made like this'),
  })
  .refine((value) => [value.steps, value.property, value.generate].filter((one) => one !== undefined).length === 1, {
    message: 'a case has either steps, a property or generate',
  });

/** What a file says for all its cases; a case's own word wins. */
const defaultsSchema = z.strictObject({ level, layer, isolation, vantage, needs, requires, topology, peers });

/** A case file. `schemas/case.schema.json` is generated from this. */
export const caseFileSchema = z.strictObject({
  suite: z
    .string()
    .regex(/^[a-z0-9]+(\.[a-z0-9-]+)*$/, 'expected a suite name such as policy.merge')
    .describe('the group of these cases, such as policy.merge; a pattern of conform run'),
  defaults: defaultsSchema
    .optional()
    .describe('for every case of the file; a case replaces what it says itself, and needs are added'),
  cases: z.array(caseSchema).min(1).describe('the cases, each with an id of its own'),
});
export type CaseFile = z.infer<typeof caseFileSchema>;
export type WrittenCase = CaseFile['cases'][number];
