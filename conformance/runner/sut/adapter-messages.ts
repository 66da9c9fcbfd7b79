import { z } from 'zod';

// The adapter protocol, version 1: one JSON object per line, each command answered by one line. docs/guide/adapter-protocol.md is its
// prose; `schemas/adapter.schema.json` is generated from what stands here.

const seq = z
  .int()
  .meta({ description: 'Number of the message. The answer to a command carries the number of the command.' });

const resource = z.looseObject({
  apiVersion: z
    .string()
    .optional()
    .meta({ description: 'Group and version.', examples: ['proxy.example/v1alpha1'] }),
  kind: z.string().meta({ description: 'Kind of the resource.', examples: ['HTTPRoute'] }),
  metadata: z
    .looseObject({
      name: z.string().meta({ description: 'Its name.', examples: ['routes'] }),
      namespace: z
        .string()
        .optional()
        .meta({ description: 'Its namespace; a case has one of its own.', examples: ['c-1f0c'] }),
    })
    .meta({ description: 'Its name and namespace, and labels where a case gives them.' }),
});
const resources = z.array(resource);

const ports = z
  .looseObject({
    data: z.int().meta({ description: 'For requests.', examples: [40123] }),
    admin: z.int().meta({ description: 'For the admin listener, or whatever else the adapter needs a port for.' }),
  })
  .meta({ description: 'Free ports of 127.0.0.1.' });

/** What the suite sends, by command. An adapter that meets another command answers `unsupported`. */
export const requestSchemas = {
  hello: z
    .looseObject({
      seq,
      cmd: z.literal('hello').meta({ description: 'The first message of a session.' }),
      protocol: z.literal(1).meta({ description: 'Version of the protocol that the suite speaks.' }),
      suite: z
        .string()
        .optional()
        .meta({ description: 'Name of the suite.', examples: ['proxy-conformance'] }),
    })
    .meta({ description: 'Asks who the implementation is and what it can do.' }),
  start: z
    .looseObject({
      seq,
      cmd: z.literal('start').meta({ description: 'Sent once, with run.kind adapter only.' }),
      dir: z
        .string()
        .meta({ description: 'An empty folder of the run, for whatever the implementation wants to write.' }),
      ports,
    })
    .meta({ description: 'Starts the implementation.' }),
  apply: z
    .looseObject({
      seq,
      cmd: z.literal('apply').meta({ description: 'Sent for every change; with run.kind adapter or deliver adapter.' }),
      rev: z.int().meta({ description: 'Number of the configuration; it grows.', examples: [7] }),
      resources: resources.meta({
        description: 'Everything that exists from now on. What was there before and is not in the list is gone.',
      }),
    })
    .meta({ description: 'Gives the implementation its whole configuration.' }),
  op: z
    .looseObject({
      seq,
      cmd: z.literal('op').meta({ description: 'A question; the next one may come before it is answered.' }),
      case: z.string().meta({ description: 'Id of the case that asks.', examples: ['attachment.merge.per-field'] }),
      op: z.string().meta({
        description: 'Name of the operation.',
        examples: ['effective-policy', 'canonical-policy', 'validate', 'render', 'status'],
      }),
      input: z.unknown().meta({ description: 'What the operation is asked about; each has a shape of its own.' }),
    })
    .meta({ description: 'Asks something that requests would show only slowly, or not at all.' }),
  stop: z
    .looseObject({ seq, cmd: z.literal('stop').meta({ description: 'The last message of a session.' }) })
    .meta({ description: 'Stops the implementation. The end of standard input means the same.' }),
} as const;

const violation = z.looseObject({
  resource: z
    .string()
    .optional()
    .meta({ description: 'Kind, namespace and name of what is refused.', examples: ['ProxyPolicy c-1f0c/limits'] }),
  namespace: z
    .string()
    .optional()
    .meta({ description: 'Its namespace, unless resource says it; the case that it belongs to is found by it.' }),
  path: z
    .string()
    .optional()
    .meta({ description: 'Member that is refused.', examples: ['spec.traffic.timeouts.request'] }),
  message: z.string().meta({ description: 'Why, for people.', examples: ['no such unit'] }),
});

const unsupported = z
  .looseObject({
    seq,
    unsupported: z.string().meta({ description: 'What is not offered.', examples: ['op render'] }),
    issue: z.string().optional().meta({ description: 'Where somebody asks for it.' }),
  })
  .meta({ description: 'The only true answer to a command or an operation that the adapter does not know.' });
const failed = z
  .looseObject({
    seq,
    error: z
      .looseObject({
        message: z.string().meta({ description: 'What went wrong, for people.' }),
        traceback: z.string().optional().meta({ description: 'Where it went wrong in the adapter.' }),
      })
      .meta({ description: 'What went wrong.' }),
  })
  .meta({ description: 'The adapter could not do it. The session goes on.' });
const ok = z
  .looseObject({ seq, ok: z.literal(true).meta({ description: 'It is done.' }) })
  .meta({ description: 'It is done.' });

/** Answers, by command; every command but hello may also be unsupported or fail. */
export const answerSchemas = {
  hello: z
    .looseObject({
      seq,
      protocol: z.literal(1).meta({ description: 'Version of the protocol that the adapter speaks.' }),
      implementation: z
        .looseObject({
          name: z.string().meta({ description: 'Its name.', examples: ['tiny-proxy'] }),
          version: z
            .string()
            .optional()
            .meta({ description: 'Its version.', examples: ['1.0.0'] }),
          language: z
            .string()
            .optional()
            .meta({ description: 'What it is written in.', examples: ['python'] }),
        })
        .meta({ description: 'Who is tested.' }),
      features: z
        .record(z.string(), z.union([z.boolean(), z.enum(['yes', 'no'])]))
        .default({})
        .meta({
          description: 'Features that the manifest does not speak of; what it says counts.',
          examples: [{ 'core.http': 'yes' }],
        }),
      ops: z
        .array(z.string())
        .default([])
        .meta({ description: 'Operations that it answers.', examples: [['effective-policy', 'validate']] }),
      unspecified: z
        .record(z.string(), z.unknown())
        .default({})
        .meta({ description: 'Answers to open points that the manifest does not give.', examples: [{ 'U-014': 504 }] }),
    })
    .meta({ description: 'Who the implementation is and what it can do.' }),
  start: z.union([
    z
      .looseObject({
        seq,
        ok: z.literal(true).meta({ description: 'It listens, or will soon: the canary decides.' }),
        data: port('requests'),
        admin: port('the admin listener'),
      })
      .meta({ description: 'The implementation runs.' }),
    failed,
    unsupported,
  ]),
  apply: z.union([
    ok,
    z
      .looseObject({
        seq,
        rejected: z
          .array(violation)
          .meta({ description: 'Everything that is refused; nothing of this configuration counts.' }),
      })
      .meta({ description: 'The configuration is refused. The suite takes out the cases whose resources are named.' }),
    failed,
    unsupported,
  ]),
  op: z.union([
    z
      .looseObject({ seq, result: z.unknown().meta({ description: 'The answer; each operation has its own shape.' }) })
      .refine((answer) => 'result' in answer, 'no result')
      .meta({ description: 'The operation was answered.' }),
    failed,
    unsupported,
  ]),
  stop: z.union([ok, failed, unsupported]),
  /** An unknown command: anything but "unsupported" is wrong. */
  unknown: unsupported,
} as const;

export type Hello = z.infer<typeof answerSchemas.hello>;
export type AdapterCommand = Exclude<keyof typeof answerSchemas, 'unknown'>;

const where = {
  resources: resources.meta({ description: 'Everything that exists for the question; nothing has to run for it.' }),
  namespace: z.string().meta({ description: 'Where names without a namespace belong.', examples: ['c-1f0c'] }),
} as const;
const named = (what: string): z.ZodOptional<z.ZodString> =>
  z
    .string()
    .optional()
    .meta({ description: `Name of the ${what}; there is only one when absent.` });

const phase = z.string().meta({
  description:
    'Which policies: of the frontend, of traffic before (gateway) or after (route) a route is chosen, or of a backend.',
  examples: ['frontend', 'gateway', 'route', 'backend'],
});
const target = {
  gateway: named('Gateway'),
  listener: named('listener'),
  route: named('HTTPRoute'),
  rule: named('rule of the route'),
  backend: named('backend'),
} as const;
const mergedPolicy = z
  .looseObject({})
  .meta({ description: 'The merged fields, under the names that a policy has for them; {} when none counts.' });

/** What operations are asked, and what they answer. An adapter offers those that it names in `ops`. */
export const operationSchemas = {
  'effective-policy': {
    input: z
      .looseObject({ ...where, phase, ...target })
      .meta({ description: 'The policy that counts for a target in a phase, merged from all that attach to it.' }),
    result: mergedPolicy,
  },
  'effective-policies': {
    input: z
      .looseObject({
        shared: resources.meta({ description: 'Resources that exist in every set.' }),
        sets: z.array(resources).meta({ description: 'What exists beside them; each set is a world of its own.' }),
        questions: z
          .array(z.looseObject({ namespace: where.namespace, phase, ...target }))
          .meta({ description: 'What is asked of every set, each as effective-policy is.' }),
      })
      .meta({ description: 'Many questions of effective-policy in one message, for those who ask thousands.' }),
    result: z
      .looseObject({
        answers: z
          .array(
            z.array(
              z.union([
                z.looseObject({ result: mergedPolicy }),
                z.looseObject({
                  error: z
                    .looseObject({ message: z.string().meta({ description: 'Why there is none.' }) })
                    .meta({ description: 'A question that has no answer.' }),
                }),
              ]),
            ),
          )
          .meta({ description: 'For every set, in their order, the answer to every question.' }),
      })
      .meta({ description: 'The answers.' }),
  },
  'canonical-policy': {
    input: z
      .looseObject({
        phase: z
          .string()
          .optional()
          .meta({ description: 'Phase of the selection, where the trace says one.', examples: ['route'] }),
        effectivePolicy: z.unknown().meta({ description: 'The policy as the trace shows it.' }),
      })
      .meta({ description: 'A policy of a trace, in the shape of the resources.' }),
    result: z.unknown().meta({ description: 'The same policy under the names that resources have for its fields.' }),
  },
  validate: {
    input: z
      .looseObject({
        resource: resource.meta({ description: 'The resource in question, which may be wrong in any way.' }),
      })
      .meta({ description: 'Is a resource accepted?' }),
    result: z
      .looseObject({
        accepted: z.boolean().meta({ description: 'Whether it would be taken.' }),
        violations: z
          .array(violation)
          .optional()
          .meta({ description: 'Why it would be refused; each with path and message.' }),
      })
      .meta({ description: 'Whether it is, and if not why.' }),
  },
  render: {
    input: z
      .looseObject({
        ...where,
        gateway: named('Gateway'),
        serverSide: z.boolean().optional().meta({ description: 'The parameters were submitted by server-side apply.' }),
      })
      .meta({ description: 'What is generated for a Gateway and its ProxyParameters.' }),
    result: z
      .looseObject({
        manifests: resources.optional().meta({ description: 'The resources of the workload.' }),
        problems: z.array(z.unknown()).optional().meta({ description: 'Or why nothing can be generated.' }),
      })
      .meta({ description: 'The generated resources.' }),
  },
  status: {
    input: z
      .looseObject({
        ...where,
        kind: z.string().meta({ description: 'Kind of the resource.', examples: ['ProxyPolicy'] }),
        name: z.string().meta({ description: 'Its name.' }),
      })
      .meta({ description: 'What the implementation writes into the status of a resource.' }),
    result: z
      .looseObject({
        status: z.unknown().meta({ description: 'The status; null or absent when it has none.' }),
        generation: z.int().optional().meta({
          description:
            'metadata.generation of the resource, where it has one: conditions with a lower observedGeneration do not count.',
        }),
      })
      .meta({ description: 'Its status.' }),
  },
} as const;

// A port or a URL; the runner's own choice when the adapter says nothing.
function port(what: string): z.ZodOptional<z.ZodUnion<readonly [z.ZodNumber, z.ZodString]>> {
  return z
    .union([z.number(), z.string()])
    .optional()
    .meta({
      description: `Where it listens for ${what}, as a port of 127.0.0.1 or a URL; the port of the message when absent.`,
      examples: [40123, 'http://127.0.0.1:40123'],
    });
}
