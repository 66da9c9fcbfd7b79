// An adapter for tests that behaves as its first argument says: good, liar, noisy, silent, dying, wrong-shape, wrong-hello, wrong-feature, rejecting;
// or as somebody who says which resources are accepted: judge, refuser, accepter (of every kind it knows).
import { createInterface } from 'node:readline';
import { isObject } from '../../values/json.ts';

const [mode = 'good'] = process.argv.slice(2);

createInterface({ input: process.stdin }).on('line', (line) => {
  const message: unknown = JSON.parse(line);
  if (!isObject(message)) return;
  const answer = answerTo(message);
  if (answer !== undefined) process.stdout.write(`${JSON.stringify({ seq: message['seq'], ...answer })}\n`);
});
process.stderr.write(`scripted adapter, ${mode}\n`);

const JUDGES: ReadonlySet<string> = new Set(['judge', 'refuser', 'accepter']);

type Message = Readonly<Record<string, unknown>>;

function answerTo(message: Message): Message | undefined {
  const { cmd } = message;
  if (cmd === 'hello') return hello();
  if (cmd === 'stop') return { ok: true };
  if (mode === 'liar') return { ok: true, result: {} };
  if (cmd === 'op' && message['op'] === 'echo') return echo(message['input']);
  if (cmd === 'op' && message['op'] === 'validate' && JUDGES.has(mode)) return validate(message['input']);
  if (cmd === 'op') return { unsupported: `op ${String(message['op'])}` };
  if (cmd === 'apply') return apply(message['resources']);
  return { unsupported: `cmd ${String(cmd)}` };
}

function echo(input: unknown): Message | undefined {
  if (mode === 'silent') return undefined;
  if (mode === 'dying') process.exit(9);
  if (mode === 'noisy') process.stdout.write('this is not protocol\n');
  return mode === 'wrong-shape' ? { answer: 42 } : { result: input };
}

function hello(): Message {
  if (mode === 'wrong-hello') return { protocol: 2 };
  const features = mode === 'wrong-feature' ? { 'core.htp': 'yes' } : { 'core.http': 'yes', 'traffic.csrf': 'no' };
  return {
    protocol: 1,
    implementation: { name: 'scripted' },
    features,
    ops: JUDGES.has(mode) ? ['validate'] : ['echo'],
  };
}

function validate(input: unknown): Message {
  const resource = isObject(input) && isObject(input['resource']) ? input['resource'] : {};
  const isKnown = !String(resource['kind']).startsWith('Zz');
  const isGood = isKnown && !JSON.stringify(resource).includes('70000');
  const accepted = mode === 'judge' ? isGood : mode === 'accepter' && isKnown;
  return { result: { accepted, violations: accepted ? [] : [{ path: 'spec', message: 'wrong' }] } };
}

function apply(resources: unknown): Message {
  const kinds = (Array.isArray(resources) ? resources : []).filter(isObject).map((one) => String(one['kind']));
  const strange = kinds.filter((kind) => kind.startsWith('Zz') || kind === 'Bad');
  if (strange.length === 0) return { ok: true };
  return { rejected: strange.map((kind) => ({ resource: `${kind} c-bad/x`, path: 'kind', message: 'unknown kind' })) };
}
