import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { type FilesSource, openFiles } from '../../../store/sources/files.ts';
import { type Problem, problemText } from '../../../store/sources/resource-file.ts';
import type { Snapshot } from '../../../store/snapshot.ts';
import { createStore, type Store } from '../../../store/store.ts';

let directory: string;
let store: Store;
let source: FilesSource | undefined;
let problems: readonly Problem[];
let problemsToldTo: ((problems: readonly Problem[]) => void)[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refproxy-directory-'));
  store = createStore(systemClock);
  problems = [];
  problemsToldTo = [];
});

afterEach(() => {
  source?.close();
  source = undefined;
  rmSync(directory, { recursive: true, force: true });
});

function open(path = directory): void {
  source = openFiles({
    path,
    store,
    clock: systemClock,
    onProblems: (now) => {
      problems = now;
      for (const waiter of problemsToldTo.splice(0)) waiter(now);
    },
  });
}

const file = (name: string): string => join(directory, name);
const write = (name: string, text: string | Uint8Array): void => writeFileSync(file(name), text);
const configMap = (name: string, value = 'v'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata: {k: ${value}}\n`;
const badPolicy = (name: string): string =>
  `apiVersion: proxy.example/v1alpha1\nkind: ProxyPolicy\nmetadata: {name: ${name}}\nspec:\n` +
  '  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: g}]\n  traffic: {delay: {duration: "1 +"}}\n';
const names = (snapshot = store.snapshot()): string[] =>
  snapshot.byKind('ConfigMap').map(({ metadata }) => metadata.name);
const valueOf = (name: string, snapshot = store.snapshot()): string | undefined =>
  snapshot.get('ConfigMap', 'default', name)?.data?.['k'];

/** The first later snapshot for which it holds, or the present one. */
function until(holds: (snapshot: Snapshot) => boolean): Promise<Snapshot> {
  if (holds(store.snapshot())) return Promise.resolve(store.snapshot());
  return new Promise((resolve) => {
    const stop = store.subscribe((snapshot) => {
      if (!holds(snapshot)) return;
      stop();
      resolve(snapshot);
    });
  });
}

const nextProblems = (): Promise<readonly Problem[]> => new Promise((resolve) => problemsToldTo.push(resolve));

const texts = (list = problems): string[] =>
  list.map((problem) => problemText(problem).replaceAll(`${directory}/`, ''));

test('reads all YAML and JSON files, several documents in each, before it returns', () => {
  write('a.yaml', `${configMap('one')}---\n${configMap('two')}`);
  write('b.yml', configMap('three'));
  write('c.json', '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "four"}}');
  write('d.yaml', `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: five}}\n`);
  write('.hidden.yaml', configMap('hidden'));
  write('notes.txt', 'not YAML: [');
  write('a.yaml.tmp', configMap('temporary'));
  open();
  expect(names()).toEqual(['five', 'four', 'one', 'three', 'two']);
  expect(store.snapshot().generation).toBe(1);
  expect(problems).toEqual([]);
});

test('follows writes, renames over a file and deletions', async () => {
  write('a.yaml', configMap('one', 'first'));
  open();
  const before = store.snapshot().get('ConfigMap', 'default', 'one');
  write('b.yaml', configMap('two'));
  await until((snapshot) => names(snapshot).length === 2);
  expect(store.snapshot().get('ConfigMap', 'default', 'one')).toBe(before);
  write('.swap', configMap('one', 'second'));
  renameSync(file('.swap'), file('a.yaml'));
  await until((snapshot) => valueOf('one', snapshot) === 'second');
  unlinkSync(file('b.yaml'));
  await until((snapshot) => names(snapshot).length === 1);
});

test('of a file with many documents only the changed ones become new objects', async () => {
  write('a.yaml', `${configMap('one')}---\n${configMap('two')}`);
  open();
  const one = store.snapshot().get('ConfigMap', 'default', 'one');
  write('a.yaml', `# a comment that moves everything\n---\n${configMap('two', 'new')}---\n${configMap('one')}`);
  await until((snapshot) => valueOf('two', snapshot) === 'new');
  expect(store.snapshot().get('ConfigMap', 'default', 'one')?.data).toEqual(one?.data);
});

test('a burst of files is one or a few changes, and none is lost', async () => {
  open();
  const generations: number[] = [];
  store.subscribe(({ generation }) => generations.push(generation));
  for (let index = 0; index < 60; index += 1) write(`f${index}.yaml`, configMap(`c${index}`));
  await until((snapshot) => names(snapshot).length === 60);
  expect(generations.length).toBeLessThanOrEqual(5);
});

test('the last of many quick writes of the same size counts', async () => {
  open();
  for (let round = 10; round < 60; round += 1) {
    write('a.yaml', configMap('one', `v${round}`));
    // Lets events arrive between the writes, some before and some after a load.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until((snapshot) => valueOf('one', snapshot) === 'v59');
});

test('a bad file is refused with all its errors, and what it held before stays', async () => {
  write('a.yaml', configMap('one', 'good'));
  write('b.yaml', configMap('two'));
  open();
  write(
    'a.yaml',
    `${configMap('one', 'new')}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: UPPER}\ndatta: {}\n`,
  );
  await nextProblems();
  expect(texts()).toEqual([
    'a.yaml:9:12 metadata.name: must be a lowercase DNS-style name',
    'a.yaml:10:1 datta: unknown field "datta"; did you mean "data"?',
  ]);
  expect(valueOf('one')).toBe('good');
  write('c.yaml', configMap('three'));
  await until((snapshot) => names(snapshot).includes('three'));
  expect(names()).toEqual(['one', 'three', 'two']);
  const healed = nextProblems();
  write('a.yaml', configMap('one', 'healed'));
  expect(await healed).toEqual([]);
  expect(valueOf('one')).toBe('healed');
});

test('a file that stays empty gives up what it held', async () => {
  write('a.yaml', configMap('one'));
  open();
  write('a.yaml', '');
  await until((snapshot) => names(snapshot).length === 0);
  expect(problems).toEqual([]);
});

test('sixty warnings do not make a file unusable', () => {
  write('a.yaml', Array.from({ length: 60 }, (_, index) => badPolicy(`p${index}`)).join('---\n'));
  open();
  expect(problems).toHaveLength(60);
  expect(store.snapshot().byKind('ProxyPolicy')).toHaveLength(60);
});

test('a file with errors without end is read only so far', () => {
  write('a.yaml', 'kind: Nothing\n---\n'.repeat(1000));
  open();
  expect(problems.length).toBeLessThan(60);
  expect(texts().at(-1)).toMatch(/too many problems/);
});

test('the same object in two files is an error that names both places', async () => {
  write('a.yaml', configMap('one', 'a'));
  write('b.yaml', `${configMap('two')}---\n${configMap('one', 'b')}`);
  write('c.yaml', `${configMap('three')}---\n${configMap('three')}`);
  open();
  expect(texts()).toEqual([
    'c.yaml:7:1 ConfigMap/default/three is already at line 1 of this file',
    'b.yaml:7:1 ConfigMap/default/one is already at a.yaml:1; the one here is left out',
  ]);
  expect(valueOf('one')).toBe('a');
  unlinkSync(file('a.yaml'));
  await until((snapshot) => valueOf('one', snapshot) === 'b');
});

test('expressions that do not compile are told but do not stop the file', () => {
  const target = '{group: gateway.networking.k8s.io, kind: Gateway, name: g}';
  write(
    'a.yaml',
    `apiVersion: proxy.example/v1alpha1\nkind: ProxyPolicy\nmetadata: {name: p}\nspec:\n  targetRefs: [${target}]\n  traffic:\n    authorization:\n      policy:\n        matchExpressions:\n        - "true &&"\n`,
  );
  open();
  expect(texts()).toEqual([
    expect.stringMatching(
      /^a\.yaml:10:11 spec\.traffic\.authorization\.policy\.matchExpressions\[0\]: invalid expression: 1:\d+: /,
    ),
  ]);
  expect(store.snapshot().byKind('ProxyPolicy')).toHaveLength(1);
});

test.each([
  ['not UTF-8', new Uint8Array([0x61, 0x3a, 0x20, 0xff]), 'a.yaml:1:1 the file is not UTF-8'],
  ['too large', Buffer.alloc(10 * 1024 * 1024 + 1, 'a'), 'a.yaml:1:1 the file is larger than 10485760 bytes'],
  ['repeated keys', 'a: 1\na: 2\n', 'a.yaml:2:1 the key "a" is repeated'],
  ['dangerous keys', 'a: {__proto__: 1}\n', 'a.yaml:1:5 the key __proto__ is not allowed'],
  ['no resource', 'just text\n', 'a.yaml:1:1 must be an object with apiVersion, kind and metadata'],
])('%s: told, and the other files serve', (_, bytes, text) => {
  write('a.yaml', bytes);
  write('b.yaml', configMap('two'));
  open();
  expect(texts()).toEqual([text]);
  expect(names()).toEqual(['two']);
});

test('a folder that cannot be read is told at once', () => {
  rmSync(directory, { recursive: true });
  expect(() => open()).toThrow(/ENOENT/);
});

test('of a single file the name does not matter, and its neighbours are left alone', () => {
  write('setup', configMap('one'));
  write('b.yaml', configMap('two'));
  open(file('setup'));
  expect(names()).toEqual(['one']);
});

test('a single file is followed when it is written, replaced by a rename, or deleted and made again', async () => {
  write('a.yaml', configMap('one', 'first'));
  open(file('a.yaml'));
  write('a.yaml', configMap('one', 'written'));
  await until((snapshot) => valueOf('one', snapshot) === 'written');
  write('.swap', configMap('one', 'renamed'));
  renameSync(file('.swap'), file('a.yaml'));
  await until((snapshot) => valueOf('one', snapshot) === 'renamed');
  unlinkSync(file('a.yaml'));
  await nextProblems();
  expect(texts()).toEqual(['a.yaml:1:1 the file is not there; what it held stays in force']);
  expect(valueOf('one')).toBe('renamed');
  write('a.yaml', configMap('one', 'again'));
  await until((snapshot) => valueOf('one', snapshot) === 'again');
  expect(problems).toEqual([]);
});

test('a single file behind a link that is turned to another folder, as ConfigMaps are mounted, is read again', async () => {
  for (const [name, value] of [
    ['..1', 'first'],
    ['..2', 'second'],
  ] as const) {
    mkdirSync(file(name));
    write(join(name, 'a.yaml'), configMap('one', value));
  }
  symlinkSync('..1', file('..data'));
  symlinkSync(join('..data', 'a.yaml'), file('a.yaml'));
  open(file('a.yaml'));
  expect(valueOf('one')).toBe('first');
  symlinkSync('..2', file('..next'));
  renameSync(file('..next'), file('..data'));
  await until((snapshot) => valueOf('one', snapshot) === 'second');
});

test('a single file that is not there is told at once', () => {
  expect(() => open(file('none.yaml'))).toThrow(/ENOENT/);
});

test('a folder that is deleted and made again is followed, however often', async () => {
  write('a.yaml', configMap('one'));
  open();
  for (const value of ['two', 'three']) {
    const told = nextProblems();
    rmSync(directory, { recursive: true });
    expect((await told).map(({ message }) => message)).toEqual([
      'the folder cannot be read; what it held stays in force',
    ]);
    mkdirSync(directory);
    write('a.yaml', configMap(value));
    await until(() => names().join(',') === value);
  }
  write('b.yaml', configMap('later'));
  await until(() => names().includes('later'));
  // At once: there may be no moment in which somebody sees that it is gone.
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  write('a.yaml', configMap('four'));
  await until(() => names().join(',') === 'four');
  write('b.yaml', configMap('five'));
  await until(() => names().includes('five'));
});

test('links that lead nowhere are one problem each, and stop neither the start nor a reload', async () => {
  write('a.yaml', configMap('one'));
  symlinkSync('loop.yaml', file('loop.yaml'));
  symlinkSync('missing', file('dangling.yaml'));
  open();
  expect(names()).toEqual(['one']);
  expect(texts()).toEqual([
    'dangling.yaml:1:1 the link leads to nothing',
    expect.stringMatching(/^loop\.yaml:1:1 the file cannot be read: ELOOP/),
  ]);
  write('b.yaml', configMap('two'));
  await until(() => names().includes('two'));
  expect(problems).toHaveLength(2);
  const told = nextProblems();
  unlinkSync(file('loop.yaml'));
  unlinkSync(file('dangling.yaml'));
  while (problems.length > 0) await (problems.length === 2 ? told : nextProblems());
  expect(names()).toEqual(['one', 'two']);
});

test.skipIf(!existsSync('/proc/self/mem'))(
  'an entry that cannot be read is one problem, and the others are in force',
  () => {
    write('a.yaml', configMap('one'));
    // A file for whoever asks, and an error for whoever reads it, whatever rights he has.
    symlinkSync('/proc/self/mem', file('b.yaml'));
    write('c.yaml', configMap('two'));
    open();
    expect(names()).toEqual(['one', 'two']);
    expect(texts()).toEqual([expect.stringMatching(/^b\.yaml:1:1 the file cannot be read: EIO/)]);
  },
);

test('what kubectl would read as true or false is a warning, and is used', () => {
  write('a.yaml', `${configMap('one', 'Off')}---\n${configMap('two', '"on"')}`);
  open();
  expect(texts()).toEqual(['a.yaml:5:11 Off without quotes is a text here and false to kubectl; put it in quotes']);
  expect(valueOf('one')).toBe('Off');
});
