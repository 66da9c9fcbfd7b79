import { simpleSetup } from '../../support/data-plane.ts';

/** A Gateway, a route and an AI backend whose provider is at `upstream`, with this `ai` policy. */
export function guardedProvider(port: number, upstream: number, ai: object): object[] {
  const provider = { vendor1: {}, host: '127.0.0.1', port: upstream };
  return simpleSetup(port, upstream).map((object) =>
    'kind' in object && object.kind === 'ProxyBackend'
      ? { ...object, spec: { ai: { provider }, policies: { ai } } }
      : object,
  );
}
