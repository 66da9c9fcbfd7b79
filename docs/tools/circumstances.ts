// What no case varies, no case checks: in how many circumstances the clauses of each area are tried, read off the cases themselves.
import type { ConcreteCase } from '../../conformance/runner/case/concrete-case.ts';
import { isObject } from '../../conformance/runner/values/json.ts';

/** A way in which requests, configuration and peers of a case may differ from a plain request of HTTP/1.1 under one policy. */
export interface Circumstance {
  readonly name: string;
  /** What the page says of it. */
  readonly text: string;
  readonly holds: (facts: Facts) => boolean;
}

/** What a case says, as text to look into: names of members stand in quotes, no blanks between them. */
export interface Facts {
  readonly steps: string;
  readonly config: string;
  readonly peers: string;
  readonly topology: string;
  /** Fields of `traffic` that its policies set. */
  readonly fields: ReadonlySet<string>;
  /** Kinds and parts of what its policies are for. */
  readonly targets: ReadonlySet<string>;
}

export const CIRCUMSTANCES: readonly Circumstance[] = [
  {
    name: 'HTTP/2',
    text: 'a client of HTTP/2',
    holds: ({ steps }) => /"(?:version|httpVersion)":"2"|"kind":"frames"/.test(steps),
  },
  { name: 'TLS', text: 'a listener of TLS', holds: ({ topology }) => topology.includes('"certificates"') },
  { name: 'kept', text: 'requests on one connection', holds: ({ steps }) => steps.includes('"connection":') },
  {
    name: 'pieces',
    text: 'a body that comes in pieces',
    holds: ({ steps, peers }) => /"chunks":|"stream":\[/.test(steps + peers),
  },
  { name: 'HEAD', text: 'a request for a head alone', holds: ({ steps }) => steps.includes('"HEAD"') },
  { name: 'stream', text: 'a stream that was asked for', holds: ({ steps }) => steps.includes('"stream":true') },
  { name: 'WebSocket', text: 'a WebSocket', holds: ({ steps }) => steps.includes('"websocket"') },
  {
    name: 'backend HTTP/2',
    text: 'a backend of HTTP/2 or gRPC',
    holds: ({ config, peers }) => /"http2":true|"kind":"grpc"/.test(peers) || config.includes('"HTTP2"'),
  },
  { name: 'backend TLS', text: 'a backend of TLS', holds: ({ config }) => config.includes('"tls":{') },
  {
    name: 'fault',
    text: 'a peer that breaks off or is not there',
    holds: ({ peers }) => /"fault":["{]/.test(peers),
  },
  { name: 'again', text: 'a request that is tried again', holds: ({ config }) => config.includes('"retry":{') },
  { name: 'copied', text: 'a request that is mirrored', holds: ({ topology }) => topology.includes('RequestMirror') },
  { name: 'changed', text: 'a configuration that changes', holds: ({ steps }) => steps.includes('"apply"') },
  { name: 'condition', text: 'a policy under a condition', holds: ({ config }) => config.includes('"conditional":[') },
  { name: 'before', text: 'the phase before routing', holds: ({ config }) => config.includes('"PreRouting"') },
  { name: 'two policies', text: 'two fields of traffic at once', holds: ({ fields }) => fields.size > 1 },
  { name: 'two levels', text: 'policies for two levels', holds: ({ targets }) => targets.size > 1 },
  {
    name: 'model',
    text: 'a language model behind it',
    holds: ({ config }) => /"ai":\{"(?:provider|groups)"|"ProxyModel"/.test(config),
  },
  { name: 'tools', text: 'servers of tools behind it', holds: ({ config }) => config.includes('"mcp":{"targets"') },
  { name: 'agent', text: 'an agent behind it', holds: ({ config }) => config.includes('"a2a":{') },
];

/** For each area the required cases on the wire, and how many of them are in each circumstance; areas without such cases are left out. */
export function circumstancesByArea(
  cases: readonly ConcreteCase[],
  areas: readonly string[],
): readonly { readonly area: string; readonly all: number; readonly counts: readonly number[] }[] {
  const wire = cases.filter(({ layer, level }) => layer === 'wire' && level === 'must');
  const found = wire.map((one) => {
    const facts = factsOf(one);
    return { one, holds: CIRCUMSTANCES.map((each) => each.holds(facts)) };
  });
  return areas.flatMap((area) => {
    const own = found.filter(({ one }) => one.clauses.some(({ id }) => id.startsWith(`${area}-`)));
    if (own.length === 0) return [];
    const counts = CIRCUMSTANCES.map(
      (_, index) => new Set(own.filter(({ holds }) => holds[index]).map(({ one }) => one.baseId)).size,
    );
    return [{ area, all: new Set(own.map(({ one }) => one.baseId)).size, counts }];
  });
}

function factsOf({ steps, config, peers, topology }: ConcreteCase): Facts {
  const policies = config.flatMap(({ kind, spec }) => (kind === 'ProxyPolicy' && isObject(spec) ? [spec] : []));
  return {
    steps: JSON.stringify(steps),
    config: JSON.stringify(config),
    peers: JSON.stringify(peers),
    topology: JSON.stringify(topology),
    fields: new Set(policies.flatMap(({ traffic }) => namesIn(traffic).filter((name) => name !== 'phase'))),
    targets: new Set(
      policies.flatMap(
        ({ targetRefs, targetSelectors }) => JSON.stringify([targetRefs, targetSelectors]).match(TARGET) ?? [],
      ),
    ),
  };
}

function namesIn(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}

const TARGET = /"at":"[^"]*"|"kind":"(?:Gateway|ListenerSet|HTTPRoute|Service|ProxyBackend)"/g;
