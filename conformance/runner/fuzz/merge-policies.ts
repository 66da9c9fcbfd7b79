import fc from 'fast-check';
import type { JsonObject } from '../values/json.ts';
import type { Level, ModelPolicy } from './merge-model.ts';

/** A generated policy: what the model sees of it, with a number instead of each value. */
export interface DrawnPolicy {
  readonly at: Level;
  readonly phase: ModelPolicy['phase'];
  readonly override: boolean;
  /** Field to a number that stands for its value. */
  readonly fields: Readonly<Record<string, number>>;
}

/** What a number means in each field: as written in a resource, and as an expectation that any spelling of it meets. */
const FIELDS: Readonly<Record<ModelPolicy['phase'], Readonly<Record<string, FieldForm>>>> = {
  gateway: { transformation: { write: setHeader, expect: setHeader } },
  route: {
    timeouts: { write: (n) => ({ request: seconds(n) }), expect: (n) => ({ request: { '~duration': seconds(n) } }) },
    headerModifiers: { write: setLiteral, expect: setLiteral },
    transformation: { write: setHeader, expect: setHeader },
  },
  backend: {
    tcp: {
      write: (n) => ({ connectTimeout: seconds(n) }),
      expect: (n) => ({ connectTimeout: { '~duration': seconds(n) } }),
    },
    http: {
      write: (n) => ({ requestTimeout: seconds(n) }),
      expect: (n) => ({ requestTimeout: { '~duration': seconds(n) } }),
    },
    transformation: { write: setHeader, expect: setHeader },
  },
};

interface FieldForm {
  readonly write: (value: number) => JsonObject;
  readonly expect: (value: number) => JsonObject;
}

/** Levels a phase can be set at. TRAFFIC-010: PreRouting only above the route. */
const LEVELS: Readonly<Record<ModelPolicy['phase'], readonly Level[]>> = {
  gateway: ['gateway', 'listener'],
  route: ['gateway', 'listener', 'route', 'rule', 'elsewhere'],
  backend: ['gateway', 'listener', 'route', 'rule', 'backend', 'elsewhere'],
};

export const PHASES = ['gateway', 'route', 'backend'] as const satisfies readonly ModelPolicy['phase'][];

/** Up to `max` policies in any order. Only PostRouting policies are given an Override; the model says nothing of two at different levels (MERGE-020). */
export function arbitraryPolicies(max: number): fc.Arbitrary<readonly DrawnPolicy[]> {
  return fc.array(fc.oneof(...PHASES.map(ofPhase)), { maxLength: max });
}

function ofPhase(phase: ModelPolicy['phase']): fc.Arbitrary<DrawnPolicy> {
  return fc.record({
    at: fc.constantFrom(...LEVELS[phase]),
    phase: fc.constant(phase),
    override: phase === 'route' ? fc.boolean() : fc.constant(false),
    fields: fc
      .uniqueArray(fc.constantFrom(...Object.keys(FIELDS[phase])), { minLength: 1 })
      .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, fc.integer({ min: 1, max: 59 })])))),
  });
}

/** The policies in the words of the case language, in the order they were drawn. */
export function asConfig(policies: readonly DrawnPolicy[]): readonly JsonObject[] {
  return policies.map((policy, index) => ({
    kind: 'ProxyPolicy',
    metadata: { name: `p${index}` },
    spec: {
      targetRefs: [policy.at === 'elsewhere' ? { at: 'route', name: 'elsewhere' } : { at: policy.at }],
      ...(policy.override ? { strategy: { inheritance: 'Override' } } : {}),
      ...section(policy),
    },
  }));
}

/** What `effectivePolicy` of the phase must look like: every field that is set, and no other of the ones we draw. */
export function asExpectation(phase: ModelPolicy['phase'], effective: Readonly<Record<string, unknown>>): JsonObject {
  const forms = Object.entries(FIELDS[phase]);
  return Object.fromEntries(
    forms.map(([field, { expect }]) => [
      field,
      typeof effective[field] === 'number' ? { '~exact': expect(effective[field]) } : { '~absent': true },
    ]),
  );
}

function section({ phase, fields }: DrawnPolicy): JsonObject {
  const written = Object.entries(fields).map(([field, value]) => [field, FIELDS[phase][field]?.write(value)]);
  if (phase === 'backend') return { backend: Object.fromEntries(written) };
  return { traffic: { ...(phase === 'gateway' ? { phase: 'PreRouting' } : {}), ...Object.fromEntries(written) } };
}

function seconds(value: number): string {
  return `${value}s`;
}

function setHeader(value: number): JsonObject {
  return { request: { set: [{ name: 'x-drawn', value: `'${value}'` }] } };
}

function setLiteral(value: number): JsonObject {
  return { request: { set: [{ name: 'x-drawn', value: String(value) }] } };
}
