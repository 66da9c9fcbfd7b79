import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { provisioningOf } from '../../deployer/render-input.ts';
import { render } from '../../deployer/render.ts';
import { hideSecrets } from './hide-secrets.ts';
import { version } from '../version.ts';
import { admittedResources } from './input-resources.ts';
import { OperationError } from './operation-error.ts';

const renderInput = z.object({
  resources: z.array(z.unknown()),
  gateway: z.string().optional(),
  namespace: z.string().optional(),
  serverSide: z.boolean().optional(),
});

/** The manifests of a Gateway's workload, or the problems that keep it from having one. */
export function renderWorkload(input: unknown): object {
  const parsed = renderInput.safeParse(input);
  if (!parsed.success) throw new OperationError(z.prettifyError(parsed.error));
  const { resources, serverSide = false } = parsed.data;
  const provisioning = provisioningOf(admittedResources(resources), gatewayName(parsed.data));
  if (!provisioning.ok) return { problems: provisioning.problems };
  const rendered = render({
    ...provisioning.found,
    version: version(),
    nulls: serverSide ? 'remove' : 'ignore',
    randomBytes,
  });
  return rendered.ok ? { manifests: hideSecrets(rendered.manifests) } : { problems: rendered.problems };
}

/** A name without a namespace is one of the namespace that is asked from. */
function gatewayName({ gateway, namespace }: z.infer<typeof renderInput>): string | undefined {
  return gateway === undefined || namespace === undefined || gateway.includes('/')
    ? gateway
    : `${namespace}/${gateway}`;
}
