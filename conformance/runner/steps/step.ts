import type { z } from 'zod';
import type { Peers } from '../peers/peers.ts';
import type { Resource, Session } from '../sut/session.ts';
import type { Manifest } from '../sut/manifest.ts';
import type { ConfigurationChange, ConfigurationOutcome } from '../sut/configuration.ts';
import type { Background } from './background.ts';
import type { CurlContext, Outside } from './curl.ts';
import type { Timeline } from './timeline.ts';

/** What a step saw: the members that `expect` of this kind may name. */
export type Observation = Readonly<Record<string, unknown>>;

/** One kind of step. Adding a kind is one file and one row in registry.ts. */
export interface StepKind<Input = unknown> {
  readonly name: string;
  /** One sentence for `conform new` and the generated documentation. */
  readonly text: string;
  /** The value under the key of this kind, before and after interpolation. */
  readonly schema: z.ZodType<Input>;
  /** Members of the observation that `expect` may name. */
  readonly expectKeys: readonly string[];
  /** The value of `expect`, built from expectKeys. */
  readonly expectSchema: z.ZodType;
  /** Does it. Rejects only for a fault of the suite; what the implementation does wrong is an observation. */
  readonly run: (input: Input, context: StepContext) => Promise<Observation>;
  /** One short line for the timeline. */
  readonly describe: (input: Input) => string;
  /** The same thing for a person with a terminal (`conform up`, failure output); absent where a step is no HTTP request. */
  readonly curl?: ((input: Input, context: CurlContext) => Outside) | undefined;
}

/** A kind as its file writes it; the registry derives the schema of `expect` from the keys. */
export type StepDefinition<Input> = Omit<StepKind<Input>, 'expectSchema'>;

/** A step of a concrete case, after expansion; `input` and `expect` may still hold placeholders of peers and captures. */
export interface Step {
  readonly id: string;
  readonly kind: string;
  readonly input: unknown;
  readonly control?: boolean;
  /** Time limit of this step as a duration. */
  readonly within?: string;
  readonly expect?: unknown;
  readonly capture?: unknown;
  readonly on?: readonly OnRule[];
  /** Where the step stands in the case file. */
  readonly at: readonly (string | number)[];
}

/** When the n-th chunk or event, the response head, or a text has arrived, the gate opens. */
export interface OnRule {
  readonly chunk?: number | undefined;
  readonly event?: number | undefined;
  readonly head?: true | undefined;
  readonly text?: string | undefined;
  readonly open: string;
}

/** What a step may use. Steps of one case that run in parallel share everything but the deadline. */
export interface StepContext {
  readonly caseId: string;
  readonly stepId: string;
  readonly namespace: string;
  readonly host: string;
  readonly vantage?: string;
  readonly session: Session;
  readonly manifest: Manifest;
  /** Port of a listener of the case's topology by name; undefined when there is none. */
  readonly listenerPort: (listener: string) => number | undefined;
  readonly peers: Peers;
  /** Everything of this case that outlives its step: armed traces, clients in the background, open connections. */
  readonly background: Background;
  readonly timeline: Timeline;
  /** Time limit of this step, in milliseconds of fair time (sut/time). */
  readonly limitMs: number;
  /** Aborted when the limit has passed, or the case is over. */
  readonly limit: AbortSignal;
  /** Aborted when the case is over. */
  readonly signal: AbortSignal;
  readonly on: readonly OnRule[];
  /** The interpolated expectation, so that a step can wait for what is going to be asked (closed). */
  readonly expect: Readonly<Record<string, unknown>>;
  /** The canonical resources the case has now, rendered. */
  readonly resources: () => readonly unknown[];
  /** Shorthand of the case language to canonical resources. */
  readonly render: (config: readonly unknown[]) => readonly unknown[];
  /** What becomes of a resource that is not rendered before the implementation gets it; only field ablation sets it. */
  readonly alter?: (resource: Resource) => Resource;
  readonly configure: (change: ConfigurationChange) => Promise<ConfigurationOutcome>;
  /** Runs a nested step with its own checks; the answer is what it saw. */
  readonly nested: (
    step: Readonly<Record<string, unknown>>,
    at: readonly (string | number)[],
    round?: number,
  ) => Promise<Observation>;
}

/** The step could not be done because the implementation does not offer it. Becomes the verdict unsupported (or fail, if declared). */
export class StepUnsupported extends Error {
  override readonly name = 'StepUnsupported';
}

/** This machine lacks a program the step is made with, or an API server a definition of others. Becomes the verdict unsupported: the implementation is not to blame. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing';
}

/** The case asks for something impossible (a port of an unknown listener). Becomes the verdict error. */
export class CaseFault extends Error {
  override readonly name = 'CaseFault';
}
