import type { EffectiveFrontend, Origin } from '../attachment/policies/effective-policy.ts';
import { perObject } from '../base/per-object.ts';
import { compileOrFail, type Program } from '../cel/compile.ts';
import type { AccessLog } from '../resources/proxy-policy/fields/access-log.ts';
import type { Tracing } from '../resources/proxy-policy/fields/tracing.ts';
import {
  compileAdded,
  compileAttributes,
  evaluateAdded,
  type AddedAttribute,
  type Attribute,
  type AttributeEdits,
} from './attributes.ts';
import type { Destination } from './otlp/send.ts';
import type { Sampling } from './sampling.ts';

/** What the frontend policy of a listener says about telemetry, compiled once. */
export interface CompiledFrontend {
  readonly accessLog: CompiledLog | undefined;
  readonly tracing: CompiledTracing | undefined;
  /** Labels of metrics. */
  readonly labels: readonly AddedAttribute[];
}

export interface CompiledLog {
  /** Undefined logs every request (LOG-002). */
  readonly filter: Program | undefined;
  readonly edits: AttributeEdits;
  readonly export: CompiledExport | undefined;
}

/** LOG-007 to LOG-010: filter and attributes are those of the access log where the export has none of its own. */
export interface CompiledExport {
  readonly filter: Program | undefined;
  readonly edits: AttributeEdits;
  readonly to: Destination;
}

export interface CompiledTracing {
  readonly sampling: Sampling;
  /** Undefined exports every sampled span (OTEL-017). */
  readonly filter: Program | undefined;
  readonly edits: AttributeEdits;
  readonly to: Destination;
  readonly resource: readonly Attribute[];
}

/** Undefined when the policy says nothing about logs, spans and labels. */
export const compiledFrontend = perObject(
  ({ accessLog, tracing, metrics, sources }: EffectiveFrontend): CompiledFrontend | undefined => {
    if (accessLog === undefined && tracing === undefined && metrics === undefined) return undefined;
    return {
      accessLog: accessLog && compileLog(accessLog, sources['accessLog']?.[0] ?? NOBODY),
      tracing: tracing && compileTracing(tracing, sources['tracing']?.[0] ?? NOBODY),
      labels: compileAdded(metrics?.attributes.add ?? []),
    };
  },
);

const NOBODY: Origin = { kind: 'ProxyPolicy', namespace: '', name: '' };

function compileLog({ filter, attributes, otlp }: AccessLog, origin: Origin): CompiledLog {
  const own = { filter: compileFilter(filter), edits: compileAttributes(attributes) };
  return { ...own, export: otlp && compileExport(otlp, own, origin) };
}

function compileExport(
  { backendRef, filter, attributes, protocol = 'GRPC', path = '/v1/logs' }: NonNullable<AccessLog['otlp']>,
  parent: Pick<CompiledLog, 'filter' | 'edits'>,
  origin: Origin,
): CompiledExport {
  return {
    filter: filter === undefined ? parent.filter : compileFilter(filter),
    edits: attributes === undefined ? parent.edits : compileAttributes(attributes),
    to: { backendRef, origin, protocol, path },
  };
}

function compileTracing(
  { backendRef, protocol = 'GRPC', path = '/v1/traces', ...rest }: Tracing,
  origin: Origin,
): CompiledTracing {
  const { attributes, resources = [], randomSampling, clientSampling, filter } = rest;
  return {
    sampling: { random: compileFilter(randomSampling), client: compileFilter(clientSampling) },
    filter: compileFilter(filter),
    edits: compileAttributes(attributes),
    to: { backendRef, origin, protocol, path },
    // OTEL-006: of the proxy and not of a request, so there is none to ask about.
    resource: withServiceName(evaluateAdded(compileAdded(resources), () => undefined)),
  };
}

function compileFilter(text: string | undefined): Program | undefined {
  return text === undefined ? undefined : compileOrFail(text);
}

/** What every resource has, unless the policy names it. */
export function withServiceName(attributes: readonly Attribute[]): readonly Attribute[] {
  return attributes.some(([name]) => name === 'service.name')
    ? attributes
    : [['service.name', 'refproxy'], ...attributes];
}
