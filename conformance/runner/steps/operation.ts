import { asMessage, jsonBytes } from './exchange-record.ts';
import { exchange } from './http-client.ts';
import { StuckFault, type Resource } from '../sut/session.ts';
import { isObject } from '../values/json.ts';
import { armTrace } from './trace-client.ts';
import { StepUnsupported, ToolMissing, type Observation, type StepContext } from './step.ts';

interface EffectivePolicyInput {
  readonly phase: string;
  readonly namespace?: string | undefined;
  readonly request?:
    | {
        readonly path?: string | undefined;
        readonly host?: string | undefined;
        readonly headers?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
}

interface RenderQuestion {
  readonly gateway?: string | undefined;
  readonly serverSide?: boolean | undefined;
  readonly with?: readonly unknown[] | undefined;
}

/** What an op step asks, one member of it. */
export interface OpInput {
  readonly 'effective-policy'?: EffectivePolicyInput | undefined;
  readonly validate?:
    | { readonly resource: Readonly<Record<string, unknown>>; readonly asWritten?: true | undefined }
    | undefined;
  readonly render?: RenderQuestion | undefined;
}

const WATCH = 'op-vantage';

/** A question as the adapter gets it: the operation and its input. */
export interface Question {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Asks the adapter, or, in the trace vantage, sends one request and reads the policy from its trace. */
export async function runOperation(input: OpInput, context: StepContext): Promise<Observation> {
  const policy = input['effective-policy'];
  if (policy !== undefined && context.vantage === 'trace') return fromTrace(policy, context);
  const { name, payload } = questionOf(input, context);
  return ask(name, payload, context);
}

/** The question of a step, with the resources it is about. */
export function questionOf(
  input: OpInput,
  context: Pick<StepContext, 'namespace' | 'resources' | 'render' | 'alter'>,
): Question {
  const policy = input['effective-policy'];
  if (policy !== undefined) {
    const { request: _, ...question } = policy;
    const payload = { resources: context.resources(), namespace: context.namespace, ...question };
    return { name: 'effective-policy', payload };
  }
  if (input.render !== undefined) {
    const { with: changes = [], ...question } = input.render;
    const resources = replaceResources(context.resources().filter(isObject), context.render(changes).filter(isObject));
    return { name: 'render', payload: { resources, namespace: context.namespace, ...question } };
  }
  if (input.validate?.asWritten === true) {
    const { alter = (resource) => resource } = context;
    return { name: 'validate', payload: { resource: alter(input.validate.resource) } };
  }
  const [resource] = context.render(input.validate === undefined ? [] : [input.validate.resource]);
  return { name: 'validate', payload: { resource } };
}

/** The resources with the changes in the place of those of the same kind, namespace and name. */
function replaceResources(resources: readonly Resource[], changes: readonly Resource[]): readonly Resource[] {
  const changed = new Set(changes.map(identityOf));
  return [...resources.filter((resource) => !changed.has(identityOf(resource))), ...changes];
}

function identityOf({ kind, metadata }: Resource): string {
  const { namespace, name } = isObject(metadata) ? metadata : {};
  return JSON.stringify([kind, namespace, name]);
}

async function ask(name: string, payload: unknown, context: StepContext): Promise<Observation> {
  context.timeline.add('client', `> op ${name}`);
  const answer = await context.session.op(name, payload, context.caseId);
  context.timeline.add('client', `< op ${name} ${answer.kind}`);
  context.timeline.exchanged(() => ({
    step: context.stepId,
    request: asMessage([`op ${name}`], jsonBytes(payload)),
    answer: asMessage([answer.kind], jsonBytes(answer.kind === 'result' ? answer.result : answer.message)),
  }));
  if (answer.kind === 'result') return { result: answer.result };
  // Whoever is asked alone has nothing else to offer: a definition that is not installed is not the implementation's fault.
  if (answer.kind === 'unsupported' && context.session.admissionOnly === true) throw new ToolMissing(answer.message);
  if (answer.kind === 'unsupported') throw new StepUnsupported(`op ${name}: ${answer.message}`);
  if (answer.stuck) throw new StuckFault(answer.message);
  return { error: answer.message };
}

/** The policySelection event of the phase; a build that reports one merged selection (TRC row 3) has no phase in it. */
async function fromTrace(policy: EffectivePolicyInput, context: StepContext): Promise<Observation> {
  const armed = await armTrace({ watch: WATCH }, context);
  if (armed['armed'] !== true) return { error: `the trace could not be armed: ${JSON.stringify(armed)}` };
  const { path = '/', headers = {}, host = context.host } = policy.request ?? {};
  const call = {
    method: 'GET',
    path,
    headers: Object.entries(headers),
    parts: undefined,
    framing: 'length',
    trailers: {},
  } as const;
  await exchange(call, { ...context.session.endpoints.data, hostHeader: host }, context);
  const watch = context.background.traces.get(WATCH);
  await watch?.settled(context.limitMs);
  const { events } = watch?.observation() ?? {};
  const selections = (Array.isArray(events) ? events : []).filter(isSelection);
  const found =
    selections.find((event) => event.phase === policy.phase) ?? selections.find((event) => event.phase === undefined);
  return found === undefined ? { result: {} } : { result: found.effectivePolicy };
}

interface Selection {
  readonly phase?: unknown;
  readonly effectivePolicy: unknown;
}

function isSelection(event: unknown): event is Selection {
  return (
    typeof event === 'object' &&
    event !== null &&
    'type' in event &&
    event.type === 'policySelection' &&
    'effectivePolicy' in event
  );
}
