import { z } from 'zod';

const violation = z.looseObject({
  resource: z.string().optional(),
  namespace: z.string().optional(),
  path: z.string().optional(),
  message: z.string(),
});

const unsupported = z.looseObject({ seq: z.int(), unsupported: z.string(), issue: z.string().optional() });
const failed = z.looseObject({
  seq: z.int(),
  error: z.looseObject({ message: z.string(), traceback: z.string().optional() }),
});
const ok = z.looseObject({ seq: z.int(), ok: z.literal(true) });

/** Answers of the adapter protocol, version 1, by command; every command may also be unsupported or fail. */
export const answerSchemas = {
  hello: z.looseObject({
    seq: z.int(),
    protocol: z.literal(1),
    implementation: z.looseObject({
      name: z.string(),
      version: z.string().optional(),
      language: z.string().optional(),
    }),
    features: z.record(z.string(), z.union([z.boolean(), z.enum(['yes', 'no'])])).default({}),
    ops: z.array(z.string()).default([]),
    clock: z.enum(['real', 'controlled']).default('real'),
    unspecified: z.record(z.string(), z.unknown()).default({}),
  }),
  start: z.union([
    z.looseObject({ seq: z.int(), ok: z.literal(true), data: port(), admin: port() }),
    failed,
    unsupported,
  ]),
  apply: z.union([ok, z.looseObject({ seq: z.int(), rejected: z.array(violation) }), failed, unsupported]),
  op: z.union([
    z.looseObject({ seq: z.int(), result: z.unknown() }).refine((answer) => 'result' in answer, 'no result'),
    failed,
    unsupported,
  ]),
  stop: z.union([ok, failed, unsupported]),
  /** An unknown command: anything but "unsupported" is wrong. */
  unknown: unsupported,
} as const;

export type Hello = z.infer<typeof answerSchemas.hello>;
export type AdapterCommand = Exclude<keyof typeof answerSchemas, 'unknown'>;

// A port or a URL; the runner's own choice when the adapter says nothing.
function port(): z.ZodOptional<z.ZodUnion<readonly [z.ZodNumber, z.ZodString]>> {
  return z.union([z.number(), z.string()]).optional();
}
