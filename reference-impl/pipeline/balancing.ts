import type { BackendView } from '../attachment/view.ts';
import { isSilence, ProxyError } from '../base/proxy-error.ts';
import { whenOver } from '../base/when-over.ts';
import type { Answer, Targeted } from '../exchange/exchange.ts';
import { type CompiledHealth, compiledHealth, judgeAnswer } from '../policies/backend/health.ts';
import { whenReady } from '../policies/expression-input.ts';
import { choose } from '../upstream/health/choose.ts';
import { countHealthy, countUnhealthy, type EndpointHealth } from '../upstream/health/endpoint-health.ts';
import type { Candidate } from '../upstream/health/register.ts';
import type { Services } from '../credentials/services.ts';

/** Chooses for the next attempt. Throws noHealthyBackends when there is nowhere to go. */
export type NextTurn = () => Turn;

/**
 * The choice among the endpoints of a backend by their health. Undefined where nothing is to be chosen, and for a
 * Service without a health policy, whose endpoints are all the same.
 */
export function balancing({ backend, clock }: Targeted, { health, random }: Services): NextTurn | undefined {
  const { groups, endpoints, policies } = backend;
  if (groups === undefined && (policies.health === undefined || endpoints.length < 2)) return undefined;
  const tried = new Set<EndpointHealth>();
  return () => {
    const chosen = choose(health.candidates(backend), tried, clock.monotonic(), random);
    if (chosen === undefined) throw new ProxyError('noHealthyBackends');
    tried.add(chosen.health);
    return new Turn(chosen);
  };
}

/** One attempt at one endpoint. What comes of it is counted once, before another attempt begins. */
export class Turn {
  /** The backend, or the provider of its groups, with the endpoint that was chosen. */
  readonly backend: BackendView;
  readonly #state: EndpointHealth;
  readonly #policy: CompiledHealth | undefined;
  #sentAt: number | undefined;
  #counted = false;
  #underWay = false;

  constructor({ backend, health }: Candidate) {
    this.backend = backend;
    this.#state = health;
    this.#policy = compiledHealth(backend.policies.health);
  }

  /** The request goes out. */
  start({ clock }: Targeted): void {
    this.#sentAt = clock.monotonic();
    this.#underWay = true;
    this.#state.pending += 1;
  }

  /** The answer as the endpoint gave it; the one to go on with is returned. */
  takeAnswer(exchange: Targeted, answer: Answer): Answer | Promise<Answer> {
    const { clock } = exchange;
    const took = clock.monotonic() - (this.#sentAt ?? clock.monotonic());
    return whenReady(judgeAnswer(this.#policy, exchange, answer), (judged) => {
      this.#counted = true;
      if (judged.unhealthy) countUnhealthy(this.#state, this.#policy?.eviction, clock.monotonic());
      else countHealthy(this.#state, took / 1000);
      return { ...judged.answer, body: whenOver(judged.answer.body, () => this.#over()) };
    });
  }

  /**
   * The attempt ended with an error. Only that nobody answered is the fault of the endpoint: HEALTH-003, and HEALTH-018 whatever the
   * condition, which is about answers. docs/decisions/health.md
   */
  takeFailure(exchange: Targeted, error: unknown): void {
    this.#over();
    const answered = this.#sentAt === undefined || this.#counted || exchange.cancellation.reason !== undefined;
    if (answered || !isSilence(error)) return;
    countUnhealthy(this.#state, this.#policy?.eviction, exchange.clock.monotonic());
  }

  #over(): void {
    if (this.#underWay) this.#state.pending -= 1;
    this.#underWay = false;
  }
}
