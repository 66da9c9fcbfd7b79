import type { ConcreteCase } from '../case/concrete-case.ts';
import type { ConfigurationOutcome } from '../sut/configuration.ts';
import { parseDuration } from '../sut/duration.ts';
import { gatewayAddress } from '../sut/gateway-address.ts';
import type { Instance } from '../sut/instance.ts';
import { addressTowards } from '../sut/ports.ts';
import type { Resource } from '../sut/session.ts';
import { isList, isObject } from '../values/json.ts';
import type { Scope } from '../values/variables.ts';

/** What is known of a case that was handed over. */
interface HandedCase {
  readonly case: ConcreteCase;
  readonly instance: Instance;
  readonly configured: ConfigurationOutcome | undefined;
  readonly resources: readonly Resource[];
  readonly scope: Scope;
}

/** A second Gateway of a case may be nobody's: where the one the case is about is Programmed, so long may it take to be accepted. */
const BESIDE_MS = 1000;

/**
 * Where every Gateway has an address of its own, the case with those of its Gateways, which its steps speak to from now on. Waits until
 * its Gateway is Programmed; one that is not in time keeps the case from being live.
 */
export async function atItsGateways<Handed extends HandedCase>(prepared: Handed): Promise<Handed> {
  const { instance, configured, resources, case: one } = prepared;
  const gateways = resources.filter(({ kind }) => kind === 'Gateway');
  const own = gateways.find((gateway) => nameOf(gateway) === one.topology.gateway?.name) ?? gateways[0];
  if (instance.manifest.gateways !== 'addressed' || configured?.outcome !== 'accepted' || own === undefined)
    return prepared;
  const limitMs = parseDuration(instance.manifest.run.ready.within) ?? 10_000;
  const question = { resources, caseId: one.id, withinMs: limitMs };
  let last = '';
  const instead = (what: string): void => {
    last = what;
  };
  const address = await gatewayAddress(instance.session, { ...question, gateway: own, instead });
  if (address !== undefined) {
    const beside = gateways
      .filter((gateway) => gateway !== own)
      .map(async (gateway) => {
        const asked = { ...question, gateway, acceptedWithinMs: BESIDE_MS };
        const where = await gatewayAddress(instance.session, asked);
        return [gateway, ...setsOf(gateway, resources)].flatMap((each) => hostsAt(each, where));
      });
    return at(prepared, address, new Map((await Promise.all(beside)).flat()));
  }
  const message = `config-not-observed: Gateway ${one.namespace}/${nameOf(own)} has no address: it was not Programmed within ${limitMs} ms; its status: ${last}`;
  return { ...prepared, configured: { outcome: 'not-observed', violations: [], message } };
}

async function at<Handed extends HandedCase>(
  prepared: Handed,
  host: string,
  ofHosts: ReadonlyMap<string, string>,
): Promise<Handed> {
  const { instance, scope } = prepared;
  const { session } = instance;
  const data = { ...session.endpoints.data, host };
  const listeners = Object.entries(isObject(scope['listeners']) ? scope['listeners'] : {}).map(([name, listener]) => {
    const port = isObject(listener) ? Number(listener['port']) : data.port;
    return [name, { port, host, authority: `${host}:${port}` }] as const;
  });
  const client = { address: await addressTowards(data) };
  return {
    ...prepared,
    instance: { ...instance, session: { ...session, endpoints: { ...session.endpoints, data, ofHosts } } },
    scope: { ...scope, data, client, listeners: Object.fromEntries(listeners) },
  };
}

/** The ListenerSets whose listeners are those of a Gateway. */
function setsOf(gateway: Resource, resources: readonly Resource[]): readonly Resource[] {
  return resources.filter(
    ({ kind, spec }) =>
      kind === 'ListenerSet' &&
      isObject(spec) &&
      isObject(spec['parentRef']) &&
      spec['parentRef']['name'] === nameOf(gateway),
  );
}

/** The host names of the listeners of a Gateway or ListenerSet, each with the address. */
function hostsAt({ spec }: Resource, address: string | undefined): readonly (readonly [string, string])[] {
  const listeners = isObject(spec) && isList(spec['listeners']) ? spec['listeners'].filter(isObject) : [];
  return listeners.flatMap(({ hostname }) =>
    typeof hostname === 'string' && address !== undefined ? [[hostname, address] as const] : [],
  );
}

function nameOf({ metadata }: Resource): string {
  return isObject(metadata) ? String(metadata['name']) : '';
}
