// The reference's adapter as that of the product: questions in the product's words in, answers in them out.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { readTranslator } from './translate.mjs';

const { inward, outward, refusal } = readTranslator(path.join(import.meta.dirname, 'dialect.yaml'));
const program = path.join(import.meta.dirname, '../../bin/refproxy.mjs');
const adapter = spawn(process.execPath, [program, 'adapter'], { stdio: ['pipe', 'pipe', 'inherit'] });
const asked = new Map();

function question(message) {
  const { resource, resources, ...input } = message.input ?? {};
  const translated = {
    ...input,
    ...(resource === undefined ? {} : { resource: inward(resource) }),
    ...(resources === undefined ? {} : { resources: resources.map((one) => inward(one)) }),
  };
  asked.set(message.seq, { op: message.op, input: translated });
  return message.cmd === 'op' ? { ...message, input: translated } : message;
}

function answer(message) {
  const { op, input = {} } = asked.get(message.seq) ?? {};
  asked.delete(message.seq);
  const { result } = message;
  if (result === undefined) return message;
  if (op === 'effective-policy') {
    const section = ['frontend', 'backend'].includes(input.phase) ? input.phase : 'traffic';
    return { ...message, result: outward(result, `ProxyPolicy/spec/${section}`) };
  }
  if (!Array.isArray(result?.violations)) return { ...message, result: outward(result, '-') };
  const violations = result.violations.map((one) => refusal(one, String(input.resource?.kind)));
  return { ...message, result: { ...result, violations } };
}

createInterface({ input: process.stdin })
  .on('line', (line) => adapter.stdin.write(`${JSON.stringify(question(JSON.parse(line)))}\n`))
  .once('close', () => adapter.stdin.end());
createInterface({ input: adapter.stdout }).on('line', (line) => console.log(JSON.stringify(answer(JSON.parse(line)))));
adapter.once('exit', (code) => process.exit(code ?? 1));
