import { z } from 'zod';
import { StuckFault, type Session, type Violation } from './session.ts';

/**
 * What the implementation's `validate` says is wrong with a resource; empty when it accepts it or has no such operation. Throws StuckFault where an
 * API server that is not its own does not answer.
 */
export async function validate(
  resource: unknown,
  session: Session,
  caseId = 'configuration',
): Promise<readonly Violation[]> {
  if (!session.ops.includes('validate')) return [];
  const answer = await session.op('validate', { resource }, caseId);
  if (answer.kind === 'error' && answer.stuck) throw new StuckFault(answer.message);
  const parsed = answer.kind === 'result' ? validationSchema.safeParse(answer.result) : undefined;
  if (parsed?.success !== true || parsed.data.accepted) return [];
  const named = parsed.data.violations.map((violation) => ({ resource: nameOf(resource), ...violation }));
  return named.length > 0 ? named : [{ resource: nameOf(resource), message: 'refused without a reason' }];
}

const validationSchema = z.looseObject({
  accepted: z.boolean(),
  violations: z.array(z.looseObject({ path: z.string().optional(), message: z.string() })).default([]),
});

function nameOf(resource: unknown): string {
  const parsed = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) }).safeParse(resource);
  return parsed.success ? `${parsed.data.kind} ${parsed.data.metadata.name}` : 'resource';
}
