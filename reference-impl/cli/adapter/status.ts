import { z } from 'zod';
import { linkResources } from '../../attachment/links.ts';
import { statusOf } from '../../attachment/status/status.ts';
import { createStore } from '../../store/store.ts';
import { admittedResources } from './input-resources.ts';
import { OperationError } from './operation-error.ts';

const statusInput = z.object({
  resources: z.array(z.unknown()),
  kind: z.string(),
  name: z.string(),
  namespace: z.string().default('default'),
});

/** `{status}` of one of the resources of the input; null when it has none (ATTACH-018). */
export function status(input: unknown): object {
  const parsed = statusInput.safeParse(input);
  if (!parsed.success) throw new OperationError(z.prettifyError(parsed.error));
  const { resources, kind, name, namespace } = parsed.data;
  // Resources that bring no creation time are equally old.
  const store = createStore({ wall: () => 0 });
  store.replace(new Map([['input', admittedResources(resources)]]));
  const found = statusOf(linkResources(store.snapshot())).find(
    (entry) => entry.kind === kind && entry.name === name && entry.namespace === namespace,
  );
  return { status: found?.status ?? null };
}
