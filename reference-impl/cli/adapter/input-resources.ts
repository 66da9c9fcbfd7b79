import { admit } from '../../admission/admit.ts';
import { pathText } from '../../admission/violation.ts';
import { keyOf, type Resource } from '../../resources/kinds.ts';
import { OperationError } from './operation-error.ts';

/** The resources of an operation's input. Throws OperationError for one that is refused, or given twice. */
export function admittedResources(values: readonly unknown[]): readonly Resource[] {
  return distinct(values.map(admitInput));
}

function admitInput(value: unknown, index: number): Resource {
  const admission = admit(value);
  if (admission.ok) return admission.resource;
  const problems = admission.violations.map(({ path, message }) => `${pathText(path)}: ${message}`);
  throw new OperationError(`resources[${index}] is not accepted: ${problems.join('; ')}`);
}

/** The same resources. Throws OperationError for one that is given twice. */
export function distinct(resources: readonly Resource[]): readonly Resource[] {
  const keys = new Set<string>();
  for (const key of resources.map(keyOf)) {
    if (keys.has(key)) throw new OperationError(`${key} is given twice`);
    keys.add(key);
  }
  return resources;
}
