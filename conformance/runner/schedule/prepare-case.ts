import { mintTokens, type Tokens } from '../peers/mint-tokens.ts';
import { patientGates } from '../peers/patient-gates.ts';
import { startPeers, suiteVariables, type PeerOptions, type Peers } from '../peers/peers.ts';
import { UNLIMITED_MS } from '../sut/attendant.ts';
import type { Instance } from '../sut/instance.ts';
import { peerPlace } from '../sut/peer-place.ts';
import { addressTowards, freePort } from '../sut/ports.ts';
import type { Resource } from '../sut/session.ts';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { atItsGateways } from './at-its-gateways.ts';
import { ownListeners, renderCase, renderConfig, type RenderEnvironment } from '../case/topology.ts';
import { isObject, type JsonObject } from '../values/json.ts';
import { interpolate, type Scope } from '../values/variables.ts';
import type { ConfigurationOutcome } from '../sut/configuration.ts';

/** A case whose peers run and whose configuration was handed over. */
export interface PreparedCase {
  readonly case: ConcreteCase;
  readonly instance: Instance;
  readonly peers: Peers;
  readonly tokens: Tokens;
  /** Roots of `${…}` without captures. */
  readonly scope: Scope;
  /** What the implementation has logged since the case was begun. */
  readonly logs: () => readonly string[];
  readonly listenerPort: (listener: string) => number | undefined;
  /** The canonical resources the case began with. */
  readonly resources: readonly Resource[];
  readonly render: (config: readonly unknown[]) => readonly JsonObject[];
  /** Undefined for a case that needs nothing to be live. */
  readonly configured: ConfigurationOutcome | undefined;
}

/** A case that could not be prepared. */
export interface UnpreparedCase {
  readonly case: ConcreteCase;
  readonly instance: Instance;
  readonly error: unknown;
}

/** Starts peers and hands over the configuration of many cases at once: one revision for all of them. */
export async function prepareCases(
  cases: readonly ConcreteCase[],
  instance: Instance,
): Promise<readonly (PreparedCase | UnpreparedCase)[]> {
  const begun = await Promise.all(cases.map(async (one) => begin(one, instance)));
  return Promise.all(begun.map(async (one) => ('error' in one ? one : hand(one))));
}

/** Stops the peers and takes the configuration away with the next revision. */
export async function releaseCase(prepared: PreparedCase | UnpreparedCase): Promise<void> {
  if ('error' in prepared) return;
  prepared.instance.configuration.retire(prepared.case.namespace);
  await prepared.peers.stop();
}

/** Whether the case asks that its configuration is refused; such resources are judged through `op validate` and never handed over. */
export function wantsRejection(one: ConcreteCase): boolean {
  const { config } = one.expect;
  return config === 'rejected' || (typeof config === 'object' && config !== null && 'rejected' in config);
}

async function begin(one: ConcreteCase, instance: Instance): Promise<PreparedCase | UnpreparedCase> {
  let peers: Peers | undefined;
  try {
    const place = peerPlace(instance.manifest);
    const scope = await firstScope(one, instance);
    const specs = interpolate(one.peers, scope, { at: [...one.at, 'peers'], dropNull: true });
    peers = await startPeers(asSpecs(specs), { host: place.address, hostName: place.name, ...gatesFor(instance) });
    instance.manifest.attendant?.say(`case ${one.id}: ${one.title}`, ...peerLines(peers));
    return await withPeers(one, instance, peers, scope);
  } catch (error) {
    await peers?.stop();
    return { case: one, instance, error };
  }
}

/** Where somebody attends the run, whoever waits at a gate has time, too. */
function gatesFor({ manifest }: Instance): Pick<PeerOptions, 'gates'> {
  return manifest.attendant === undefined ? {} : { gates: patientGates(UNLIMITED_MS) };
}

/** Where each peer listens, a line for a person each. */
export function peerLines(peers: Peers): readonly string[] {
  return Object.entries(peers.variables().peers).map(([name, peer]) => `peer   ${name} ${peer.socket ?? peer.url}`);
}

async function firstScope(one: ConcreteCase, instance: Instance): Promise<Scope> {
  const { data, admin } = instance.session.endpoints;
  return {
    case: { id: one.id, host: one.host, namespace: one.namespace },
    row: one.row,
    suite: suiteVariables(),
    unspecified: instance.session.unspecified,
    data,
    client: { address: await addressTowards(data) },
    ...(admin === undefined ? {} : { admin }),
  };
}

async function withPeers(one: ConcreteCase, instance: Instance, peers: Peers, first: Scope): Promise<PreparedCase> {
  const { data } = instance.session.endpoints;
  const logs = instance.session.markLogs();
  const own = new Map(
    await Promise.all(ownListeners(one.topology).map(async (name) => [name, await freePort()] as const)),
  );
  const all = [...one.topology.listeners, ...one.topology.listenerSets.flatMap((set) => set.listeners)];
  const ports = new Map(all.map(({ name }) => [name, own.get(name) ?? data.port]));
  const listeners = Object.fromEntries(
    [...ports].map(([name, port]) => [name, { port, host: data.host, authority: `${data.host}:${port}` }]),
  );
  const known = { ...first, ...peers.variables(), listeners };
  const wanted = interpolate(one.tokens ?? {}, known, { at: [...one.at, 'tokens'] });
  const tokens = await mintTokens(isObject(wanted) ? wanted : {}, peers);
  const scope = { ...known, tokens };
  const environment: RenderEnvironment = { scope, listenerPort: (listener) => ports.get(listener) ?? data.port };
  const { alter = (resource) => resource } = one;
  return {
    case: one,
    instance,
    peers,
    tokens,
    scope,
    logs,
    listenerPort: (listener) => ports.get(listener),
    resources: renderCase(one, environment).map(alter),
    render: (config) => renderConfig(one, config, environment).map(alter),
    configured: undefined,
  };
}

async function hand(prepared: PreparedCase): Promise<PreparedCase> {
  if (!needsLive(prepared.case)) return prepared;
  const change = new Map([[prepared.case.namespace, prepared.resources]]);
  return atItsGateways({ ...prepared, configured: await prepared.instance.configuration.apply(change) });
}

/** Whether the case needs its resources in a running proxy: it sends traffic. An operation takes its resources along. */
export function needsLive(one: ConcreteCase): boolean {
  if (wantsRejection(one)) return false;
  return one.layer !== 'op' || one.steps.some((step) => step.kind !== 'op');
}

function asSpecs(value: unknown): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
