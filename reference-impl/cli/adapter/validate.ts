import { z } from 'zod';
import { admit } from '../../admission/admit.ts';
import { pathText, type Violation } from '../../admission/violation.ts';
import { checkExpression } from '../../cel/check-expression.ts';
import { OperationError } from './operation-error.ts';

const validateInput = z.object({ resource: z.unknown() });

/** Whether the resource is accepted; `warnings` are expressions that do not compile, which status reports. */
export function validate(input: unknown): object {
  const parsed = validateInput.safeParse(input);
  if (!parsed.success) throw new OperationError('validate needs the input {resource}');
  const admission = admit(parsed.data.resource, checkExpression);
  return admission.ok
    ? { accepted: true, violations: [], warnings: admission.warnings.map(printable) }
    : { accepted: false, violations: admission.violations.map(printable) };
}

function printable({ path, ...violation }: Violation): object {
  return { path: pathText(path), ...violation };
}
