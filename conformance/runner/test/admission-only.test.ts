import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { conformRun } from './support/conform.ts';

const adapter = path.join(import.meta.dirname, 'support/scripted-adapter.ts');
const manifest = (mode: string): string => `contract: 1
implementation: { name: judge }
run: { kind: admission }
adapter: ['${process.execPath}', '${adapter}', ${mode}]
`;

describe('a run that only asks what is accepted', () => {
  test('decides the cases that ask for nothing else, and says why it does not decide the others', async () => {
    const ended = await conformRun(manifest('judge'), 'admission');
    const verdicts = Object.fromEntries((ended.report?.cases ?? []).map(({ id, ...one }) => [id, one]));
    expect(verdicts, ended.stderr).toMatchObject({
      'admission.port[good]': { verdict: 'pass' },
      'admission.port[bad]': { verdict: 'pass' },
      'admission.refused-as-a-whole': { verdict: 'pass' },
      'admission.traffic': {
        verdict: 'unsupported',
        reason: 'needs traffic, and run.kind admission has no data plane',
      },
      'admission.merge': { verdict: 'unsupported', reason: 'needs op.effective-policy' },
    });
    expect(ended.code).toBe(0);
  });

  test.each([
    ['refuser', 'a ProxyBackend with host and port has to be accepted'],
    ['accepter', 'a ProxyBackend with port 70000 has to be refused'],
    ['good', 'a ProxyBackend with host and port has to be accepted'],
  ])('does not begin with an adapter that is a %s', async (mode, why) => {
    const ended = await conformRun(manifest(mode), 'admission');
    expect(ended.stderr + ended.stdout).toContain(why);
    expect(ended.code).toBe(3);
  });

  test('needs somebody to ask', async () => {
    const nobody = 'contract: 1\nimplementation: { name: x }\nrun: { kind: admission }\n';
    const ended = await conformRun(nobody, 'admission');
    expect(ended.stderr).toContain('run.kind admission needs somebody to ask');
    expect(ended.code).toBe(2);
  });
});
