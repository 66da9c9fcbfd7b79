import { isList, isObject, type JsonObject } from '../values/json.ts';
import { placeholders } from '../values/variables.ts';
import type { ConcreteCase } from './concrete-case.ts';
import { allListeners, ownListeners, renderCase, renderConfig, type RenderEnvironment } from './topology.ts';

/** A resource that a case hands over or asks about, with the place it stands at. */
export interface CaseDocument {
  /** `CASE#config` or `CASE#STEP`, and a number where there are several. */
  readonly id: string;
  readonly resource: JsonObject;
}

/** Every resource of a case as an implementation gets it, in the order of the case; addresses, keys and captures are made up. */
export function caseDocuments(one: ConcreteCase): readonly CaseDocument[] {
  const environment = madeUpEnvironment(one);
  const asked = one.steps.flatMap(({ id, input }) => numbered(`${one.id}#${id}`, resourcesOf(input, one, environment)));
  return [...numbered(`${one.id}#config`, renderCase(one, environment)), ...asked];
}

function numbered(id: string, resources: readonly JsonObject[]): readonly CaseDocument[] {
  return resources.map((resource, index) => ({
    id: resources.length === 1 ? id : `${id}.${index + 1}`,
    resource,
  }));
}

/** What a step validates as it is written, and what it validates, applies or renders in the shorthand of `config`. */
function resourcesOf(input: unknown, one: ConcreteCase, environment: RenderEnvironment): readonly JsonObject[] {
  if (!isObject(input)) return [];
  const { validate, render, add, replace } = input;
  if (isObject(validate) && validate['asWritten'] === true)
    return isObject(validate['resource']) ? [validate['resource']] : [];
  const written = [
    ...(isObject(validate) ? [validate['resource']] : []),
    ...(isObject(render) ? listOf(render['with']) : []),
    ...listOf(add),
    ...listOf(replace),
  ];
  return renderConfig(one, written, environment);
}

function listOf(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}

/** Addresses of documentation: an API server takes no endpoint on loopback. */
const HOST = '192.0.2.1';
const FIRST_PEER_PORT = 9000;
const DATA_PORT = 3000;

function madeUpEnvironment(one: ConcreteCase): RenderEnvironment {
  const peers = Object.fromEntries(
    Object.entries(one.peers).map(([name, { unix }], index) => [
      name,
      madeUpPeer(FIRST_PEER_PORT + index, unix === true),
    ]),
  );
  const own = ownListeners(one.topology);
  // One that has no port of its own is at the port of the data, which stands before theirs.
  const listenerPort = (name: string): number => DATA_PORT + 1 + own.indexOf(name);
  const data = madeUpListener(DATA_PORT);
  const listeners = Object.fromEntries(
    allListeners(one.topology).map(({ name }) => [name, madeUpListener(listenerPort(name))]),
  );
  const tokens = Object.fromEntries(Object.keys(one.tokens ?? {}).map((name) => [name, 'a.b.c']));
  const known = { case: one, row: one.row, peers, data, admin: data, listeners, unspecified: {}, suite: SUITE, tokens };
  const roots = placeholders([one.config, one.steps.map(({ input }) => input)]).flatMap(({ name }) =>
    name.split('.').slice(0, 1),
  );
  // What is left is what earlier steps captured.
  const captures = Object.fromEntries(roots.map((root) => [root, 'captured']));
  const scope = { ...captures, ...known, client: { address: HOST } };
  return { scope, listenerPort };
}

function madeUpListener(port: number): JsonObject {
  return { host: HOST, port, authority: `${HOST}:${port}` };
}

function madeUpPeer(port: number, isSocket: boolean): JsonObject {
  const authority = `${HOST}:${port}`;
  const address = { host: HOST, port, authority, url: `http://${authority}`, name: 'localhost' };
  return { ...address, ...(isSocket ? { socket: '/tmp/peer' } : {}), ...OF_SOME_KINDS };
}

/** What an identity provider and a guard of cloud C add. */
const OF_SOME_KINDS = {
  issuer: 'https://idp.test',
  jwksPath: '/keys',
  jwks: '{"keys":[]}',
  credentials: '{}',
  userCredentials: '{}',
};
const PEM = '-----BEGIN CERTIFICATE-----';
const CLIENT = { certificate: PEM, key: PEM };
const SIGNING = { pkcs8: PEM, traditional: PEM, public: PEM };
const SUITE = {
  ca: PEM,
  otherCa: PEM,
  client: CLIENT,
  otherClient: CLIENT,
  server: CLIENT,
  otherServer: CLIENT,
  rsaServer: CLIENT,
  chainedClient: CLIENT,
  chainedServer: CLIENT,
  signing: { rsa: SIGNING, otherRsa: SIGNING, ec256: SIGNING, otherEc256: SIGNING, ec384: SIGNING },
};
