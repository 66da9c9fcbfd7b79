import type { Endpoint } from '../sut/session.ts';
import { CaseFault, type StepContext } from './step.ts';

/** Where a step connects to: the port it names, its listener's own port, or the shared data endpoint. Throws CaseFault. */
export function targetOf(
  input: {
    readonly port?: number | string | undefined;
    readonly listener?: string | undefined;
    readonly host?: string | undefined;
  },
  context: Pick<StepContext, 'session' | 'listenerPort'>,
): Endpoint {
  const { data: usual, admin, ofHosts } = context.session.endpoints;
  const data = { ...usual, host: ofHosts?.get(input.host ?? '') ?? usual.host };
  // The admin listener stays on loopback wherever the data listeners are.
  if (input.port !== undefined && Number(input.port) === admin?.port) return admin;
  if (input.port !== undefined) return { host: data.host, port: Number(input.port) };
  if (input.listener === undefined) return data;
  const port = context.listenerPort(input.listener);
  if (port === undefined) throw new CaseFault(`the topology has no listener ${input.listener}`);
  return { host: data.host, port };
}
