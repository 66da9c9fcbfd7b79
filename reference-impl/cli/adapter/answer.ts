import { z } from 'zod';
import { version } from '../version.ts';
import { effectivePolicies, effectivePolicy } from './effective-policy.ts';
import { FEATURES } from './features.ts';
import { OperationError } from './operation-error.ts';
import { renderWorkload } from './render.ts';
import { status } from './status.ts';
import { validate } from './validate.ts';

/** What the harness is told; `seq` of the request is added to it. */
export type Answer = Readonly<Record<string, unknown>>;

const message = z.looseObject({ cmd: z.string(), op: z.string().optional(), input: z.unknown().optional() });

/** The operations, by name: input to result. */
const OPERATIONS: Readonly<Record<string, (input: unknown) => unknown>> = {
  'effective-policy': effectivePolicy,
  'effective-policies': effectivePolicies,
  render: renderWorkload,
  status,
  validate,
};

const COMMANDS: Readonly<Record<string, (request: z.infer<typeof message>) => Answer>> = {
  hello: () => ({
    protocol: 1,
    implementation: { name: 'reference', version: version(), language: 'typescript' },
    features: Object.fromEntries(FEATURES.map((feature) => [feature, 'yes'])),
    ops: Object.keys(OPERATIONS),
  }),
  op: ({ op = '', input }) =>
    Object.hasOwn(OPERATIONS, op) ? { result: OPERATIONS[op]?.(input) } : { unsupported: `op ${op}` },
  stop: () => ({ ok: true }),
};

/** Answers one request of the adapter protocol. Never throws: what goes wrong is an answer of its own. */
export function answer(request: unknown): Answer {
  const seq = z.looseObject({ seq: z.unknown().optional() }).safeParse(request).data?.seq;
  return { ...(seq !== undefined && { seq }), ...answerBody(request) };
}

function answerBody(request: unknown): Answer {
  const parsed = message.safeParse(request);
  if (!parsed.success) return { error: { message: 'a request is an object with the member cmd' } };
  const { cmd } = parsed.data;
  try {
    return Object.hasOwn(COMMANDS, cmd) ? (COMMANDS[cmd]?.(parsed.data) ?? {}) : { unsupported: `cmd ${cmd}` };
  } catch (error) {
    if (error instanceof OperationError) return { error: { message: error.message } };
    // A bug of ours: the harness gets the stack, and the adapter lives on.
    return { error: { message: String(error), traceback: error instanceof Error ? error.stack : undefined } };
  }
}
