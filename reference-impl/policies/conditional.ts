import type { Origin } from '../attachment/policies/effective-policy.ts';
import { compileOrFail } from '../cel/compile.ts';
import type { Program, VariableSource } from '../cel/program.ts';
import { isTrue } from '../cel/results.ts';
import type { Received } from '../exchange/exchange.ts';
import { CONTINUE, handingOver, type Note, type Outcome } from '../exchange/outcome.ts';
import type { ConditionalEntry, OrConditional } from '../resources/proxy-policy/fields/conditional.ts';
import { goOn, prepareRequest, readsBody, whenReady } from './expression-input.ts';
import type { Services } from '../credentials/services.ts';
import type { Policy } from './policy.ts';

/** A policy, or the entries of which one request runs at most one. */
export type CompiledConditional<Compiled> =
  | { readonly plain: Compiled }
  | { readonly entries: readonly Entry<Compiled>[]; readonly readsBody: boolean };

interface Entry<Compiled> {
  /** Absent for the fallback. */
  readonly condition: Program | undefined;
  readonly policy: Compiled;
  /** What the trace says when it is chosen. */
  readonly chosen: Note;
}

/**
 * Gives a policy its `…OrConditional` form. The response half follows the entry that the request half chose.
 * docs/decisions/conditional-policies.md
 */
export function conditional<Field extends object, Compiled, Stage extends Received>(
  policy: Policy<Field, Compiled, Stage>,
): Policy<OrConditional<Field>, CompiledConditional<Compiled>, Stage> {
  return {
    compile: (field, origin) =>
      'conditional' in field
        ? compileEntries(field.conditional, policy, origin)
        : { plain: policy.compile(field, origin) },

    request: (exchange, compiled, services) => {
      if ('plain' in compiled) return policy.request?.(exchange, compiled.plain, services) ?? CONTINUE;
      return whenReady(prepareRequest(exchange, compiled.readsBody), (prepared) => {
        const index = choose(compiled.entries, prepared.variables);
        const entry = compiled.entries[index];
        // COND-004: without a match the policy does not apply.
        if (entry === undefined) return { ...goOn(exchange, prepared.exchange), notes: NOT_MET };
        return whenReady(runEntry(policy, entry, prepared.exchange, services), (outcome) =>
          withEntry(outcome, compiled, index, prepared.exchange),
        );
      });
    },

    response: (exchange, compiled, answer, services) => {
      const chosen = 'plain' in compiled ? compiled.plain : chosenEntry(compiled, exchange)?.policy;
      if (chosen === undefined || policy.response === undefined) return answer;
      return policy.response(exchange, chosen, answer, services);
    },
  };
}

type Entries<Compiled> = Extract<CompiledConditional<Compiled>, { entries: unknown }>;

function compileEntries<Field, Compiled, Stage extends Received>(
  fields: readonly ConditionalEntry<Field>[],
  { compile }: Policy<Field, Compiled, Stage>,
  origin: Origin,
): Entries<Compiled> {
  const entries = fields.map(({ condition, policy }, index) => ({
    condition: condition === undefined ? undefined : compileOrFail(condition),
    policy: compile(policy, origin),
    chosen: noteOf(condition, index),
  }));
  const conditions = entries.flatMap(({ condition }) => condition ?? []);
  return { entries, readsBody: readsBody(conditions, 'request') };
}

function runEntry<Field, Compiled, Stage extends Received>(
  { request }: Policy<Field, Compiled, Stage>,
  { policy, chosen }: Entry<Compiled>,
  exchange: Stage,
  services: Services,
): Outcome | Promise<Outcome> {
  const outcome = request?.(exchange, policy, services) ?? CONTINUE;
  return whenReady(outcome, (decided) => ({ ...decided, notes: [chosen, ...(decided.notes ?? WHOLE)] }));
}

const NOT_MET: readonly Note[] = [{ part: 'condition', met: false, text: 'condition not met' }];
const WHOLE: readonly Note[] = [{ part: 'whole' }];

function noteOf(condition: string | undefined, index: number): Note {
  const text = condition === undefined ? 'fallback used' : `condition met: entry ${index + 1}`;
  return { part: 'condition', met: true, text };
}

/** COND-001, COND-002, COND-003: the first entry that is true, or the one without condition. COND-010: a failure is false. */
function choose(entries: readonly Entry<unknown>[], variables: VariableSource): number {
  return entries.findIndex(({ condition }) => condition === undefined || isTrue(condition.evaluate(variables)));
}

/** The same outcome, which tells the response half the entry it came from. */
function withEntry(outcome: Outcome, compiled: object, index: number, { request, handover }: Received): Outcome {
  return handingOver(outcome, request, { entries: new Map(handover.entries).set(compiled, index) });
}

function chosenEntry<Compiled>(compiled: Entries<Compiled>, { handover }: Received): Entry<Compiled> | undefined {
  const index = handover.entries?.get(compiled);
  return index === undefined ? undefined : compiled.entries[index];
}
