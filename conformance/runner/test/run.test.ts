import { createServer } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { conformRun, tinyManifest, type Conform } from './support/conform.ts';

const LIMIT = 60_000;
/** Its output is looked at as it comes, so it runs in a process of its own, which has to end. */
const AS_PROCESS = (): void => undefined;

function verdicts({ report }: Conform): Readonly<Record<string, string>> {
  return Object.fromEntries((report?.cases ?? []).map(({ id, verdict }) => [id, verdict]));
}

/** Tiny implementations that still run; every run of this file gives its own folder as an argument, so others do not count. */
function survivors(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => commandOf(pid))
    .filter((command) => command.includes('tiny-sut.mjs') && command.includes(`marker-${process.pid}`));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const manifest = (behaviour: string, more = ''): string => tinyManifest(`${behaviour}, marker-${process.pid}`, more);
const withListeners = (behaviour: string): string =>
  tinyManifest(`${behaviour}, marker-${process.pid}`, '', ['core.http', 'core.listeners']);

/** A run with a list of known failures. */
async function knownRun(
  list: string,
  cases: string,
  args: readonly string[] = [],
  behaviour = 'none',
): Promise<Conform> {
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-known-'));
  try {
    const file = path.join(folder, 'known.yaml');
    await writeFile(file, `${list}\n`);
    return await conformRun(manifest(behaviour), cases, ['--known', file, ...args]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('conform run', { timeout: LIMIT }, () => {
  test('against an implementation that does what it says: all pass, exit code 0, no process left', async () => {
    const run = await conformRun(manifest('none'), 'good', ['--seed', '7'], AS_PROCESS);
    expect(verdicts(run)).toEqual({
      'simple.reload': 'pass',
      'simple.route[one]': 'pass',
      'simple.route[two]': 'pass',
      'simple.unsupported': 'unsupported',
    });
    expect(run.code).toBe(0);
    expect(run.report).toMatchObject({
      schema: 1,
      seed: 7,
      implementation: { name: 'tiny' },
      summary: { pass: 3, unsupported: 1, fail: 0 },
      crashes: 0,
    });
    expect(run.stdout).toMatch(/3 pass, 1 unsupported in .* seed 7/);
    expect(survivors()).toEqual([]);
  });

  test('twice over with --repeat gives every case two results', async () => {
    const run = await conformRun(manifest('none'), 'good', ['--repeat', '2', 'simple.route*']);
    expect(run.report?.cases.map(({ id, round, verdict }) => [id, round, verdict])).toEqual([
      ['simple.route[one]', 1, 'pass'],
      ['simple.route[one]', 2, 'pass'],
      ['simple.route[two]', 1, 'pass'],
      ['simple.route[two]', 2, 'pass'],
    ]);
    expect(run.code).toBe(0);
  });

  test('a failure is exit code 1 and prints clause, place, what was seen and how to see it again', async () => {
    const run = await conformRun(manifest('none'), 'failing');
    expect(verdicts(run)).toEqual({
      'failing.control': 'inconclusive',
      'failing.status': 'fail',
      'failing.trap': 'fail',
    });
    expect(run.code).toBe(1);
    for (const line of [
      /^FAIL {2}failing\.status {3}wire, [\d.]+ ms$/m,
      /clause {4}TRACE-001 \(positive\) {2}TRC line \d+/,
      /support\/cases\/failing\/fail\.yaml:7:\d+$/m,
      /\^ step call: status: expected 299, got 204/,
      /ledger {4}up {2}got \[GET \/here\]/,
      /client {3}> GET \/here/,
      /again {5}conform run 'failing\.status' .*--impl .*implementation\.yaml/,
      /outside {3}curl -iNg .*'http:\/\/127\.0\.0\.1:18080\/here'/,
      /by hand {3}conform up 'failing\.status' .*--port 18080$/m,
      /config {4}.*failures\/failing\.status\/config-1\.yaml$/m,
      / {12}HTTP\/1\.1 204 No Content$/m,
      /3 not in order:\n(?: {2}\S+ +failing\.\w+\n){3}once more: conform run --failed /,
      /peers: expected no forbidden call, got peer up received GET \/b: nobody calls twice/,
    ]) {
      expect(run.stdout).toMatch(line);
    }
  });

  test('known failures are listed, and an entry that no longer fails makes the run red', async () => {
    const listed = await knownRun('- {case: failing.status, reason: later, owner: me, message: "got 204"}', 'failing', [
      'failing.status',
    ]);
    expect(verdicts(listed)).toEqual({ 'failing.status': 'known' });
    expect(listed.code).toBe(0);
    const stale = await knownRun("- {case: 'simple.route[one]', reason: later, owner: me}", 'good', ['simple.route*']);
    expect(verdicts(stale)).toMatchObject({ 'simple.route[one]': 'stale' });
    expect(stale.stdout).toMatch(/known\.yaml:1:3 known failure: simple\.route\[one\] passed$/m);
    expect(stale.report?.knownProblems).toEqual([
      expect.stringMatching(/known\.yaml:1:3 known failure: simple\.route\[one\] passed$/),
    ]);
    expect(listed.report?.knownProblems).toBeUndefined();
    expect(stale.code).toBe(1);
  });

  test('a case may be known to be inconclusive, and coming out otherwise than listed is red', async () => {
    const entry = '- {case: failing.control, reason: later, owner: me, verdict: inconclusive}';
    const run = await knownRun(entry, 'failing', ['failing.control']);
    expect(verdicts(run)).toEqual({ 'failing.control': 'known' });
    expect(run.code).toBe(0);
    const other = await knownRun(entry.replace('inconclusive', 'error'), 'failing', ['failing.control']);
    expect(verdicts(other)).toEqual({ 'failing.control': 'inconclusive' });
    expect(other.stdout).toContain('failing.control did not come out as listed: error');
    expect(other.code).toBe(1);
  });

  test('a case may be known to break the implementation', async () => {
    const entry = "- {case: 'crashing.once[crash]', reason: later, owner: me, verdict: error, message: code 7}";
    const run = await knownRun(entry, 'crashing', [], 'crash-on-request');
    expect(verdicts(run)).toEqual({ 'crashing.once[after]': 'pass', 'crashing.once[crash]': 'known' });
    expect(run.code).toBe(0);
  });

  test('a case that is known to be unstable is neither red nor green, whichever way it comes out', async () => {
    const marker = path.join(tmpdir(), `conform-tiny-marker-${process.pid}`);
    const entry = '- {case: flaky.once, reason: now and then, owner: me, verdict: unstable}';
    try {
      await rm(marker, { force: true });
      const red = await knownRun(entry, 'flaky', ['flaky.once'], 'wrong-once');
      const green = await knownRun(entry, 'flaky', ['flaky.once'], 'wrong-once');
      expect([red, green].map(verdicts)).toEqual([{ 'flaky.once': 'known' }, { 'flaky.once': 'known' }]);
      expect([red, green].map(({ report }) => report?.cases[0]?.reason)).toEqual([
        'now and then (this time fail)',
        'now and then (this time pass)',
      ]);
      expect([red.code, green.code]).toEqual([0, 0]);
    } finally {
      await rm(marker, { force: true });
    }
  });

  test('--no-known shows every case as it comes out, whatever the manifest lists', async () => {
    const run = await conformRun(manifest('none', 'known: no-such-file.yaml\n'), 'failing', [
      '--no-known',
      'failing.status',
    ]);
    expect(verdicts(run)).toEqual({ 'failing.status': 'fail' });
  });

  test.each([
    ['without a reason', '- {case: failing.status, owner: me}', /known\.yaml:1:3 0\.reason: required/],
    [
      'for no case',
      '- {case: failing.statsu, reason: r, owner: me}',
      /known\.yaml:1:3 no case matches failing\.statsu, did you mean failing\.status\?/,
    ],
    [
      'for the rows of a case',
      '- {case: simple.route, reason: r, owner: me}',
      /no case matches simple\.route, did you mean simple\.route\[\*\]\?/,
    ],
  ])('a known failure %s is a mistake of the user, told before anything starts', async (_, entry, message) => {
    const run = await knownRun(entry, entry.includes('simple') ? 'good' : 'failing');
    expect(run.stderr).toMatch(message);
    expect(run.report).toBeUndefined();
    expect(run.code).toBe(2);
  });

  test('--bail ends at the first failure with the code of a failure', async () => {
    const run = await conformRun(manifest('none'), 'failing', ['--bail', '--workers', '1']);
    expect(run.report?.cases).toHaveLength(1);
    expect(run.report?.cutShort).toMatch(/--bail/);
    expect(run.code).toBe(1);
  });

  test('a request that is never answered is a failure that says so', async () => {
    const run = await conformRun(manifest('hang-on-request'), 'hanging');
    expect(run.report?.cases[0]?.verdict).toBe('fail');
    expect(run.report?.cases[0]?.reason).toMatch(/expected a complete answer, got "?timeout/);
    expect(run.code).toBe(1);
  });

  test('a step that an old worker answered is asked again, and the report says so', async () => {
    const run = await conformRun(manifest('old-worker').replace('within: 4s', 'within: 4s, inARow: 1'), 'reloading', [
      '--repeat',
      '5',
      '--workers',
      '1',
    ]);
    expect(run.report?.summary).toMatchObject({ pass: 5, fail: 0 });
    const revisions = run.report?.cases.flatMap((one) => one.revisions ?? []) ?? [];
    expect(revisions.length).toBeGreaterThan(0);
    expect(revisions.every(({ again }) => again)).toBe(true);
    expect(revisions.some(({ configured, answered }) => Number(answered[0]) < configured)).toBe(true);
  });

  test('a connection that a reload for another case ended is held again while nothing is handed over', async () => {
    const run = await conformRun(manifest('drop-on-reload'), 'idling', ['--repeat', '3']);
    expect(run.report?.summary).toMatchObject({ pass: 6, fail: 0, unstable: 0 });
    const revisions = run.report?.cases.flatMap((one) => one.revisions ?? []) ?? [];
    expect(revisions).toContainEqual(expect.objectContaining({ step: 'idle', again: true }));
    expect(run.stdout).not.toContain('unstable');
  });

  test('a step that a listener refused, which opens a moment after its configuration is live, is asked again', async () => {
    const run = await conformRun(withListeners('late-listener'), 'opening');
    expect(run.report?.summary).toMatchObject({ pass: 1, fail: 0, unstable: 0, inconclusive: 0 });
  });

  test('a step that a listener refuses for good stays red', async () => {
    const run = await conformRun(withListeners('none'), 'opening', ['--provisional']);
    expect(verdicts(run)).toEqual({ 'opening.own-port': 'inconclusive' });
    expect(run.report?.cases[0]?.reason).toContain('expected a complete answer, got "refused"');
  });

  test('a step that is red with the current revision alone is not asked again', async () => {
    const run = await conformRun(manifest('none'), 'failing', ['failing.status']);
    expect(run.report?.cases[0]?.revisions).toEqual([{ step: 'call', configured: 2, answered: [2], again: false }]);
    expect(run.stdout).toMatch(/^ {2}revision {2}2 answered after call, which is about 2$/m);
  });

  test('an implementation that is really slow in one path is red for that case, however often it is repeated', async () => {
    const run = await conformRun(manifest('slow-path'), 'flaky');
    expect(verdicts(run)).toEqual({ 'flaky.once': 'pass', 'flaky.slow': 'fail' });
    const slow = run.report?.cases.find(({ id }) => id === 'flaky.slow');
    expect(slow?.reason).toMatch(/got "timeout" after \d+ ms/);
    expect(slow?.attempts?.map(({ verdict }) => verdict)).toEqual(['fail', 'fail']);
    expect(run.stdout).toMatch(/alone {5}fail in .*, then fail in .*: the verdict stands/);
    expect(run.code).toBe(1);
  });

  test('a red case that is green when it is repeated alone is unstable: nobody is accused, and the run is not green', async () => {
    const marker = path.join(tmpdir(), `conform-tiny-marker-${process.pid}`);
    const flaky = async (...flags: readonly string[]): Promise<Conform> => {
      await rm(marker, { force: true });
      return conformRun(manifest('wrong-once'), 'flaky', flags);
    };
    try {
      const run = await flaky();
      expect(verdicts(run)).toEqual({ 'flaky.once': 'unstable', 'flaky.slow': 'pass' });
      const once = run.report?.cases.find(({ id }) => id === 'flaky.once');
      expect(once?.reason).toMatch(/^fail \(step call: status: expected 200, got 500\), but alone pass$/);
      expect(once?.failures).toHaveLength(1);
      expect(once?.attempts).toMatchObject([{ verdict: 'pass' }]);
      expect(run.report?.summary).toMatchObject({ fail: 0, unstable: 1, pass: 1 });
      expect(run.stdout).toContain('unstable: flaky.once: fail');
      expect(run.code).toBe(4);
      expect((await flaky('--allow-unstable')).code).toBe(0);
      const provisional = await flaky('--provisional');
      expect(verdicts(provisional)).toMatchObject({ 'flaky.once': 'fail' });
      expect(provisional.code).toBe(1);
    } finally {
      await rm(marker, { force: true });
    }
  });

  test('cases during which nothing else may send have an instance to themselves; its crash is theirs, and both are gone at the end', async () => {
    const run = await conformRun(manifest('crash-on-request'), 'exclusive', ['--provisional', '--seed', '4']);
    const ranOn = Object.fromEntries((run.report?.cases ?? []).map(({ id, instance }) => [id, instance]));
    expect(ranOn).toMatchObject({ 'exclusive.alone[first]': 'exclusive', 'exclusive.alone[last]': 'exclusive' });
    expect(ranOn['exclusive.shared[one]']).toBeUndefined();
    expect(verdicts(run)).toEqual({
      'exclusive.alone[crash]': 'error',
      'exclusive.alone[first]': 'pass',
      'exclusive.alone[last]': 'pass',
      'exclusive.shared[one]': 'pass',
      'exclusive.shared[three]': 'pass',
      'exclusive.shared[two]': 'pass',
    });
    expect(run.report?.crashes).toBe(1);
    expect(run.stdout).toContain('instance  another one of the implementation');
    expect(survivors()).toEqual([]);
  });

  test('where there may be one only, or nothing else runs, they use that one', async () => {
    const one = await conformRun(manifest('none', 'tune: { instances: 1 }'), 'exclusive');
    const only = await conformRun(manifest('none'), 'exclusive', ['exclusive.alone']);
    for (const run of [one, only]) {
      expect(run.code).toBe(0);
      expect(run.report?.cases.map(({ instance }) => instance)).not.toContain('exclusive');
    }
  });

  test('a run that is interrupted leaves neither of two instances', async () => {
    let sent = false;
    const interrupt = (stdout: string, kill: (signal: NodeJS.Signals) => void): void => {
      if (sent || !stdout.includes('exclusive.alone[first]')) return;
      sent = true;
      kill('SIGINT');
    };
    const run = await conformRun(manifest('ignore-term'), 'exclusive', ['--repeat', '500', '--verbose'], interrupt);
    expect(run.report?.cutShort).toBe('interrupted by SIGINT');
    expect(run.report?.cases.length).toBeLessThan(3000);
    expect(survivors()).toEqual([]);
  });

  test('a crash is an error of its case, the implementation is restarted once and the next case runs', async () => {
    const run = await conformRun(manifest('crash-on-request'), 'crashing');
    expect(verdicts(run)).toEqual({ 'crashing.once[after]': 'pass', 'crashing.once[crash]': 'error' });
    const crash = run.report?.cases.find(({ id }) => id.endsWith('[crash]'));
    expect(crash?.fault).toBe('implementation');
    expect(crash?.reason).toMatch(/while this case ran, the implementation exited with code 7/);
    expect(run.report?.crashes).toBeLessThanOrEqual(1);
    expect(run.code).toBe(1);
    expect(survivors()).toEqual([]);
  });

  test('a configuration that spoils a revision is held against its case alone', async () => {
    const run = await conformRun(manifest('refuse-marked').replace('within: 4s', 'within: 1s'), 'poisoned');
    expect(verdicts(run)).toEqual({
      'poisoned.case[bad]': 'fail',
      'poisoned.case[good]': 'pass',
      'poisoned.case[other]': 'pass',
    });
    expect(run.report?.cases.find(({ id }) => id.endsWith('[bad]'))?.reason).toMatch(/config-not-observed rev \d+/);
  });

  test('an implementation that ends at the start is exit code 3 with its last words', async () => {
    const run = await conformRun(manifest('exit-at-start'), 'good');
    expect(run.code).toBe(3);
    expect(run.stdout).toMatch(/cut short: .*exited with code 1/);
    expect(run.stdout).toMatch(/it does not want to start/);
    expect(run.report).toMatchObject({ cases: [], exitCode: 3 });
  });

  test('an implementation that ignores its configuration is exit code 3', async () => {
    const run = await conformRun(manifest('ignore-config').replace('within: 4s', 'within: 700ms'), 'good');
    expect(run.code).toBe(3);
    expect(run.stdout).toMatch(/config-not-observed rev 1: the canary did not answer within 700 ms, last came: .+/);
    expect(survivors()).toEqual([]);
  });

  test('an implementation that takes no second configuration costs a few waits and not one for each case', async () => {
    const run = await conformRun(manifest('first-config-only').replace('within: 4s', 'within: 700ms'), 'good', [
      '--provisional',
      '--repeat',
      '3',
    ]);
    const why =
      'the implementation takes no configuration any more, not even what was live before: config-not-observed';
    const broken = (run.report?.cases ?? []).filter(({ verdict }) => verdict === 'error');
    expect(new Set(broken.map(({ fault, reason = '' }) => `${fault} ${reason.slice(0, why.length)}`))).toEqual(
      new Set([`implementation ${why}`]),
    );
    expect(run.report?.summary).toMatchObject({ error: 9, unsupported: 3 });
    expect(run.stdout).toContain(`9 cases have no verdict: ${why}`);
    expect(run.code).toBe(1);
    expect(survivors()).toEqual([]);
  });

  test('a port that is in use is exit code 3 in clear words', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const run = await conformRun(manifest('none', `endpoints: { data: 'http://127.0.0.1:${port}' }\n`), 'good');
    server.close();
    expect(run.code).toBe(3);
    expect(run.stdout).toContain(`port ${port} (data) is already in use by another program`);
  });

  test('mistakes of the user are exit code 2 and name what is wrong', async () => {
    const wrongCase = await conformRun(manifest('none'), 'authoring');
    expect(wrongCase.code).toBe(2);
    expect(wrongCase.stderr).toMatch(/authoring\/wrong\.yaml:7:\d+ unknown key "statsu".*status/);
    const nothing = await conformRun(manifest('none'), 'good', ['no.such.case']);
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      'no case matches no.such.case; conform search finds cases by words\n',
    ]);
    const badManifest = await conformRun('contract: 1\n', 'good');
    expect(badManifest.code).toBe(2);
    const badFlag = await conformRun(manifest('none'), 'good', ['--workers', 'many']);
    expect(badFlag.code).toBe(2);
    expect(survivors()).toEqual([]);
  });

  test('Ctrl-C leaves a partial report, exit code 3, and no process', async () => {
    let sent = false;
    const interrupt = (stdout: string, kill: (signal: NodeJS.Signals) => void): void => {
      if (sent || !stdout.includes('pass ')) return;
      sent = true;
      kill('SIGINT');
    };
    const run = await conformRun(
      manifest('ignore-term'),
      'good',
      ['--repeat', '500', '--workers', '2', '--verbose', 'simple.route*'],
      interrupt,
    );
    expect(run.code).toBe(3);
    expect(run.report?.cutShort).toBe('interrupted by SIGINT');
    expect(run.report?.cases.length).toBeGreaterThan(0);
    expect(run.report?.cases.length).toBeLessThan(1000);
    expect(run.report?.summary.fail).toBe(0);
    expect(survivors()).toEqual([]);
  });
});
