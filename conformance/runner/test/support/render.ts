import type { ConcreteCase } from '../../case/concrete-case.ts';
import { allListeners, renderCase } from '../../case/topology.ts';
import { isObject, type JsonObject } from '../../values/json.ts';

/** The resources of a case as they would be delivered, with made-up addresses, and those its steps ask about. */
export function renderedResources(one: ConcreteCase): readonly JsonObject[] {
  const peers = Object.fromEntries(
    Object.keys(one.peers).map((name, index) => {
      const authority = `127.0.0.1:${9000 + index}`;
      const address = {
        host: '127.0.0.1',
        port: 9000 + index,
        authority,
        url: `http://${authority}`,
        socket: '/tmp/peer',
      };
      return [name, { ...address, ...OF_SOME_KINDS }];
    }),
  );
  const data = { host: '127.0.0.1', port: 3000, authority: '127.0.0.1:3000' };
  const listeners = Object.fromEntries(allListeners(one.topology).map(({ name }) => [name, data]));
  const tokens = Object.fromEntries(Object.keys(one.tokens ?? {}).map((name) => [name, 'a.b.c']));
  const scope = { case: one, row: one.row, peers, data, admin: data, listeners, unspecified: {}, suite: SUITE, tokens };
  const asked = one.steps.flatMap(({ input }) =>
    isObject(input) && isObject(input['validate']) && isObject(input['validate']['resource'])
      ? [input['validate']['resource']]
      : [],
  );
  return [...renderCase(one, { scope, listenerPort: () => 3000 }), ...asked];
}

/** What an identity provider and a guard of cloud C add. */
const OF_SOME_KINDS = { issuer: 'https://idp.test', jwksPath: '/keys', jwks: '{"keys":[]}', credentials: '{}' };
const PEM = '-----BEGIN CERTIFICATE-----';
const CLIENT = { certificate: PEM, key: PEM };
const SUITE = { ca: PEM, otherCa: PEM, client: CLIENT, otherClient: CLIENT };
