import type { AdapterClient } from './adapter-client.ts';
import { canonicalPolicy, type Dialect } from './dialect.ts';
import type { Delivered, Delivery, Session, Violation } from './session.ts';
import { allResources } from './delivery.ts';
import { violationsOf } from './honesty.ts';
import { isObject } from '../values/json.ts';

/** `op` of a session through an adapter; resources in the input go out in the dialect, the result comes back canonical. */
export function operationsOf(adapter: AdapterClient | undefined, dialect: Dialect): Session['op'] {
  return async (name, input, caseId) => {
    if (adapter === undefined) return { kind: 'unsupported', message: 'the manifest names no adapter' };
    const answer = await tryCall(adapter, 'op', { case: caseId, op: name, input: translate(input, dialect) });
    if ('failure' in answer) return { kind: 'error', message: answer.failure };
    const complaints = violationsOf('op', answer.answer);
    if (complaints.length > 0)
      return { kind: 'error', message: `the adapter broke the protocol: ${complaints.join('; ')}` };
    if ('result' in answer.answer)
      return { kind: 'result', result: canonicalResult(name, input, answer.answer['result'], dialect) };
    if ('unsupported' in answer.answer) return { kind: 'unsupported', message: String(answer.answer['unsupported']) };
    return { kind: 'error', message: messageOf(answer.answer['error']) };
  };
}

/** Delivery through the adapter's `apply`. */
export function adapterDelivery(adapter: AdapterClient, dialect: Dialect): (delivery: Delivery) => Promise<Delivered> {
  return async (delivery) => {
    const answer = await tryCall(adapter, 'apply', {
      rev: delivery.revision,
      resources: allResources(delivery, dialect),
    });
    if ('failure' in answer) return { kind: 'failed', message: answer.failure };
    const complaints = violationsOf('apply', answer.answer);
    if (complaints.length > 0)
      return { kind: 'failed', message: `the adapter broke the protocol: ${complaints.join('; ')}` };
    if (answer.answer['ok'] === true) return { kind: 'delivered' };
    const { rejected } = answer.answer;
    if (Array.isArray(rejected))
      return { kind: 'rejected', violations: rejected.map((one: Violation) => asViolation(one, dialect)) };
    return { kind: 'failed', message: messageOf(answer.answer['error'] ?? answer.answer['unsupported']) };
  };
}

async function tryCall(
  adapter: AdapterClient,
  cmd: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<{ readonly answer: Readonly<Record<string, unknown>> } | { readonly failure: string }> {
  try {
    return { answer: await adapter.call(cmd, payload) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

function translate(input: unknown, dialect: Dialect): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const { shared, sets, resources, resource, ...rest } = { ...input } as Readonly<Record<string, unknown>>;
  const all = (given: unknown): readonly unknown[] =>
    Array.isArray(given) ? given.map((one: unknown) => dialect.toImplementation(one)) : [];
  return {
    ...rest,
    ...(shared === undefined ? {} : { shared: all(shared) }),
    ...(Array.isArray(sets) ? { sets: sets.map(all) } : {}),
    ...(Array.isArray(resources) ? { resources: all(resources) } : {}),
    ...(resource === undefined ? {} : { resource: dialect.toImplementation(resource) }),
  };
}

/** An effective policy stands where its phase says, and a refusal speaks of the resource that was asked about. */
function canonicalResult(name: string, input: unknown, result: unknown, dialect: Dialect): unknown {
  const asked = isObject(input) ? input : {};
  if (name === 'effective-policy' || name === 'canonical-policy')
    return canonicalPolicy(result, asked['phase'], dialect);
  if (name === 'effective-policies') return canonicalAnswers(result, asked['questions'], dialect);
  if (!isObject(result) || !Array.isArray(result['violations'])) return dialect.toCanonical(result);
  const kind = isObject(asked['resource']) ? String(asked['resource']['kind']) : undefined;
  return {
    ...result,
    violations: result['violations'].map((one: Violation) => dialect.violationToCanonical(one, kind)),
  };
}

/** The answers of many questions: each list of them is in the order of the questions. */
function canonicalAnswers(result: unknown, questions: unknown, dialect: Dialect): unknown {
  const asked = Array.isArray(questions) ? questions.filter(isObject) : [];
  const answers = isObject(result) && Array.isArray(result['answers']) ? result['answers'] : [];
  return {
    answers: answers.map((ofSet: unknown) =>
      (Array.isArray(ofSet) ? ofSet : []).map((answer: unknown, index) =>
        isObject(answer) && 'result' in answer
          ? { result: canonicalPolicy(answer['result'], asked[index]?.['phase'], dialect) }
          : answer,
      ),
    ),
  };
}

/** A refusal names its resource as `Kind namespace/name`, in the words of the implementation. */
function asViolation(value: Violation, dialect: Dialect): Violation {
  const [, said = '', name] = /^(\S+)(\s.*)$/.exec(value.resource ?? '') ?? [];
  const original = dialect.toCanonical({ kind: said });
  const kind = isObject(original) ? String(original['kind']) : said;
  const namespace = value.namespace ?? /(?:^|\s)([^\s/]+)\//.exec(value.resource ?? '')?.[1];
  const resource = name === undefined ? value.resource : `${kind}${name}`;
  return { ...dialect.violationToCanonical(value, kind), resource, namespace };
}

function messageOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'message' in value) return String(value.message);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
