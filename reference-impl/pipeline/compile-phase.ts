import type { EffectiveBackend, EffectiveTraffic, Origin, Sources } from '../attachment/policies/effective-policy.ts';
import { perObject } from '../base/per-object.ts';
import type { Answer, Received } from '../exchange/exchange.ts';
import type { Outcome } from '../exchange/outcome.ts';
import type { Policy } from '../policies/policy.ts';
import type { Services } from '../credentials/services.ts';

/** The names of the fields that a section of the effective policy has. */
export type FieldOf<Effective> = Exclude<keyof Effective & string, 'sources'>;

/** A field that some phase has a row for. */
export type PolicyField = FieldOf<EffectiveTraffic> | FieldOf<EffectiveBackend>;

/** A row of a phase: which field of the effective policy, and the policy that gives it effect. */
export interface Step<Effective extends object, Stage extends Received> {
  readonly field: FieldOf<Effective> & PolicyField;
  /** Clauses that say what the field does, or that it does it here. */
  readonly clauses: readonly string[];
  /** Undefined when the effective policy does not set the field. */
  readonly compile: (effective: Effective) => CompiledStep<Stage> | undefined;
}

/** A step with its configuration built in: nothing is parsed or compiled while a request waits. */
export interface CompiledStep<Stage extends Received> {
  readonly field: PolicyField;
  readonly request: ((exchange: Stage, services: Services) => Outcome | Promise<Outcome>) | undefined;
  readonly response: ((exchange: Stage, answer: Answer, services: Services) => Answer | Promise<Answer>) | undefined;
}

export interface CompiledPhase<Stage extends Received> {
  /** In the order of the table; fields that are not set have no step. */
  readonly steps: readonly CompiledStep<Stage>[];
  /** By field: the response half, and the place of its step. */
  readonly responses: ReadonlyMap<PolicyField, ResponseHalf<Stage>>;
}

export interface ResponseHalf<Stage extends Received> {
  readonly index: number;
  readonly run: NonNullable<CompiledStep<Stage>['response']>;
}

/**
 * Makes the function that turns an effective policy into steps. Each distinct effective policy is compiled once, and
 * each distinct field value once, however many routes share it.
 */
export function phaseCompiler<Effective extends object, Stage extends Received>(
  steps: readonly Step<Effective, Stage>[],
): (effective: Effective) => CompiledPhase<Stage> {
  return perObject((effective) => {
    const compiled = steps.flatMap((step) => step.compile(effective) ?? []);
    const halves = compiled.flatMap(({ field, response }, index) =>
      response === undefined ? [] : [[field, { index, run: response }] as const],
    );
    return { steps: compiled, responses: new Map(halves) };
  });
}

/** Makes the `step` function for tables over one kind of effective policy. */
export function stepsOf<Effective extends { readonly sources: Sources }>(): <
  Field extends FieldOf<Effective> & PolicyField,
  Compiled,
  Stage extends Received,
>(
  field: Field,
  policy: Policy<NonNullable<Effective[Field]>, Compiled, Stage>,
  ...clauses: readonly string[]
) => Step<Effective, Stage> {
  return (field, policy, ...clauses) => {
    const compiled = perValue((value: NonNullable<Effective[typeof field]> & object, origin: Origin) =>
      bind(field, policy, policy.compile(value, origin)),
    );
    return {
      field,
      clauses,
      compile: (effective) => {
        const value = effective[field];
        if (typeof value !== 'object' || value === null) return undefined;
        return compiled(value, effective.sources[field]?.[0] ?? NOBODY);
      },
    };
  };
}

function bind<Field, Compiled, Stage extends Received>(
  field: PolicyField,
  { request, response }: Policy<Field, Compiled, Stage>,
  compiled: Compiled,
): CompiledStep<Stage> {
  return {
    field,
    request: request && ((exchange, services) => request(exchange, compiled, services)),
    response: response && ((exchange, answer, services) => response(exchange, compiled, answer, services)),
  };
}

/** A value stands in one resource, so the value alone decides. */
function perValue<Value extends object, Result>(
  compute: (value: Value, origin: Origin) => Result,
): (value: Value, origin: Origin) => Result {
  const slotOf = perObject<Value, { known?: { readonly result: Result } }>(() => ({}));
  return (value, origin) => (slotOf(value).known ??= { result: compute(value, origin) }).result;
}

const NOBODY: Origin = { kind: 'ProxyPolicy', namespace: '', name: '' };
