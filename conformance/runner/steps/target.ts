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
  const data = { ...usual, host: servedAt(input.host ?? '', ofHosts) ?? usual.host };
  // The admin listener stays on loopback wherever the data listeners are.
  if (input.port !== undefined && Number(input.port) === admin?.port) return admin;
  if (input.port !== undefined) return { host: data.host, port: Number(input.port) };
  if (input.listener === undefined) return data;
  const port = context.listenerPort(input.listener);
  if (port === undefined) throw new CaseFault(`the topology has no listener ${input.listener}`);
  return { host: data.host, port };
}

/** A listener for the host itself, or for all names below the longest of its ends. */
function servedAt(host: string, ofHosts: ReadonlyMap<string, string> | undefined): string | undefined {
  if (ofHosts === undefined) return undefined;
  const labels = host.split('.');
  const wildcards = labels.map((_, at) => `*.${labels.slice(at + 1).join('.')}`);
  return [host, ...wildcards].map((name) => ofHosts.get(name)).find((address) => address !== undefined);
}
