import { randomBytes } from 'node:crypto';
import type { AdapterClient, Answer } from './adapter-client.ts';
import { answerSchemas, type AdapterCommand } from './adapter-messages.ts';
import { ImplementationFault } from './session.ts';

/** One question no honest adapter can answer with "ok", and what came back. */
export interface Probe {
  readonly name: string;
  readonly honest: boolean;
  readonly answer: Answer;
}

/**
 * Asks for a random command, a random operation and, where the adapter takes resources, for a random kind. An adapter that
 * says yes to any of them says yes to everything, so nothing it says can count.
 */
export async function probeAdapter(adapter: AdapterClient, takesResources: boolean): Promise<readonly Probe[]> {
  const word = `zz-${randomBytes(4).toString('hex')}`;
  const strange = {
    apiVersion: 'proxy.example/v1alpha1',
    kind: `Zz${randomBytes(4).toString('hex')}`,
    metadata: { name: word },
    spec: {},
  };
  const probes = [
    probe('a random command', await adapter.call(word), 'unknown'),
    probe('a random operation', await adapter.call('op', { case: 'honesty', op: word, input: {} }), 'op'),
  ];
  if (takesResources) {
    const answer = await adapter.call('apply', { rev: 0, resources: [strange] });
    return [...probes, { name: 'a resource of a random kind', honest: answer['ok'] !== true, answer }];
  }
  if (adapter.hello.ops.includes('validate')) {
    const answer = await adapter.call('op', { case: 'honesty', op: 'validate', input: { resource: strange } });
    return [...probes, { name: 'a resource of a random kind', honest: !accepts(answer), answer }];
  }
  return probes;
}

/** Throws ImplementationFault when a probe was answered with yes. */
export async function requireHonesty(adapter: AdapterClient, takesResources: boolean): Promise<void> {
  const liar = (await probeAdapter(adapter, takesResources)).find((probed) => !probed.honest);
  if (liar === undefined) return;
  throw new ImplementationFault(
    `the adapter is refused: it answered ${JSON.stringify(liar.answer)} to ${liar.name}, and "unsupported" is the only true answer`,
  );
}

/** Complaints about the shape of an answer; empty when it follows the protocol. */
export function violationsOf(command: AdapterCommand | 'unknown', answer: Answer): readonly string[] {
  const parsed = answerSchemas[command].safeParse(answer);
  return parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${command}: ${issue.path.join('.') || 'answer'}: ${issue.message}`);
}

function probe(name: string, answer: Answer, command: 'op' | 'unknown'): Probe {
  const yes = answer['ok'] === true || 'result' in answer;
  return { name, honest: !yes && (command === 'op' || typeof answer['unsupported'] === 'string'), answer };
}

function accepts(answer: Answer): boolean {
  const { result } = answer;
  return typeof result === 'object' && result !== null && 'accepted' in result && result.accepted === true;
}
