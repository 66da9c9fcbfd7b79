import type { Origin } from '../attachment/policies/effective-policy.ts';
import type { Answer, Received } from '../exchange/exchange.ts';
import type { Outcome } from '../exchange/outcome.ts';
import type { Services } from '../credentials/services.ts';

/**
 * The one shape of every policy. `Field` is the policy as it stands in the resource, `Compiled` what the proxy made of
 * it once when the configuration came; requests only ever see `Compiled`.
 *
 * Members are properties, not methods: TypeScript then refuses a policy that needs a later stage than its phase has.
 */
export interface Policy<Field, Compiled, Stage extends Received = Received> {
  /**
   * Runs once per configuration, and gives the same for the same field. Never throws: what cannot be compiled becomes a
   * program that always fails. What requests teach (a bucket, a cache) is no part of it: `lastingState`.
   */
  readonly compile: (field: Field, origin: Origin) => Compiled;
  readonly request?: (exchange: Stage, policy: Compiled, services: Services) => Outcome | Promise<Outcome>;
  /** Runs for every answer of a request whose request half was reached, also for refusals and failures. */
  readonly response?: (
    exchange: Stage,
    policy: Compiled,
    answer: Answer,
    services: Services,
  ) => Answer | Promise<Answer>;
}
