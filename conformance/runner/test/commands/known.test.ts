import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { addKnownCommand } from '../../commands/known.ts';
import { collect, conformRun, tinyManifest } from '../support/conform.ts';
import { runHere, type Here } from '../support/run-here.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'conform-known-'));
const cases = path.join(import.meta.dirname, '../support/cases');
const failing = ['--cases', path.join(cases, 'failing')];

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, text?: string): string {
  const whole = path.join(folder, name);
  if (text !== undefined) writeFileSync(whole, text);
  return whole;
}

async function known(...args: readonly string[]): Promise<Here> {
  return runHere(addKnownCommand, 'known', ...args);
}

describe('conform known', { timeout: 60_000 }, () => {
  test('checks a list without running anything', async () => {
    const list = file('good.yaml', '- { case: failing.*, reason: r, owner: o }\n');
    expect(await known(list, ...failing)).toMatchObject({ stdout: `${list}: 1 entry for 3 cases\n`, code: 0 });
    const expired = file('expired.yaml', '- { case: failing.trap, reason: r, owner: o, until: 2020-01-01 }\n');
    const ended = await known(expired, ...failing);
    expect(ended.stdout).toContain(`${expired}:1:3 failing.trap: expired after 2020-01-01\n`);
    expect(ended.code).toBe(1);
  });

  test.each([
    ['no reason', '- { case: failing.trap, owner: o }\n', ':1:3 0.reason: required, expected string\n'],
    ['a reason to write', '- { case: failing.trap, owner: o, reason: TODO }\n', '0.reason: is still to be written'],
    [
      'no such case',
      '- { case: failing.trp, reason: r, owner: o }\n',
      'no case matches failing.trp, did you mean failing.trap?\n',
    ],
    ['no YAML', '- [\n', ':2:1 '],
    [
      'an unknown member',
      '- { case: failing.trap, reason: r, owner: o, reasons: s }\n',
      'unknown key "reasons", did you mean "reason"?',
    ],
  ])('says of a list with %s where and what is wrong', async (_, text, message) => {
    const list = file('wrong.yaml', text);
    const { stderr, code } = await known(list, ...failing);
    expect(stderr).toContain(`${list}:`);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test.each([
    [[], 'which list? give its file, or --impl with a manifest that names one'],
    [[folder], 'is a folder, and a file is wanted (EISDIR)'],
    [[path.join(folder, 'none.yaml')], 'none.yaml: there is no such file (ENOENT)'],
    [['x.yaml', '--write', '--flaky'], 'give either --write or --flaky'],
    [
      ['x.yaml', '--write', '--report', folder],
      'report.json: there is no such file (ENOENT); conform run writes reports',
    ],
    [['--impl', file('bare.yaml', tinyManifest('none'))], 'bare.yaml: known: the manifest names no list'],
    [['x.yaml', '--write', '--report', file('cut.json', '{')], 'cut.json: is no JSON'],
    [['x.yaml', '--write', '--report', file('other.json', '{}')], 'other.json: is no report of a run: cases: '],
  ])('%j is a usage error', async (args, message) => {
    const { stderr, code } = await known(...args, ...failing);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(code).toBe(2);
  });

  test('--write extends a list from a report, says what no longer holds, and leaves the reasons to write', async () => {
    const { report } = await conformRun(tinyManifest('none'), 'failing');
    const seen = file('report.json', JSON.stringify(report));
    const before =
      '# ours\n- { case: failing.trap, reason: r, owner: o, verdict: error }\n- { case: gone, reason: r, owner: o }\n';
    const list = file('list.yaml', before);
    const first = await known('--write', list, '--report', seen, '--owner', 'us', ...failing);
    expect(first.stdout).toMatch(/list\.yaml:2:3 failing\.trap is listed as error and came out as fail: peers: /);
    expect(first.stdout).toMatch(/list\.yaml:3:3 no case matches gone; remove the entry, or correct it\n/);
    expect(first.stdout).toContain('added failing.status (fail)\nadded failing.control (inconclusive)\n');
    expect(first.code).toBe(0);
    const text = readFileSync(list, 'utf8');
    expect(text.startsWith(before)).toBe(true);
    expect(text).toContain(
      '# inconclusive: control failed: step control: status: expected 299, got 200\n- case: failing.control\n',
    );
    const again = await known('--write', list, '--report', seen, ...failing);
    expect(again.stdout).toMatch(/: nothing to add\n$/);
    expect(readFileSync(list, 'utf8')).toBe(text);
    const unwritable = await known('--write', path.join(folder, 'no/such.yaml'), '--report', seen, ...failing);
    expect(unwritable).toMatchObject({ code: 2 });
    expect(unwritable.stderr).toContain('no/such.yaml: the folder for it is not there (ENOENT)');
  });

  test('--flaky runs what is listed as unstable many times and prints how often it passed', async () => {
    const marker = `known-${process.pid}`;
    const manifest = file('implementation.yaml', tinyManifest(`wrong-once, ${marker}`));
    const list = file('flaky.yaml', '- { case: flaky.once, reason: r, owner: o, verdict: unstable }\n');
    try {
      const flags = ['--impl', manifest, '--cases', path.join(cases, 'flaky'), '--times', '4'];
      const { stdout, code } = await collect(['known', '--flaky', list, ...flags]);
      expect(stdout).toContain('1 case, each 4 times\n');
      expect(stdout).toContain(`flaky.once  3 of 4 passed, 1 fail  ${list}:1:3\n`);
      expect(stdout).toContain('    once fail: step call: status: expected 200, got 500\n');
      expect(code).toBe(0);
    } finally {
      rmSync(path.join(tmpdir(), `conform-tiny-${marker}`), { force: true });
    }
    const none = file('none-flaky.yaml', '- { case: flaky.once, reason: r, owner: o }\n');
    expect(await known('--flaky', none, '--cases', path.join(cases, 'flaky'))).toMatchObject({
      stdout: `${none}: nothing is listed as unstable\n`,
      code: 0,
    });
  });
});
