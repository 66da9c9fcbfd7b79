import { expect, test } from 'vitest';
import { admit } from '../../admission/admit.ts';
import type { Resource } from '../../resources/kinds.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { createStore } from '../../store/store.ts';

/** 2020-02-02T12:00:00Z. */
const NOON = 1_580_644_800_000;

function configMap(name: string, data: Record<string, string> = {}, namespace = 'default'): Resource {
  const admission = admit({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
  if (!admission.ok) throw new Error(JSON.stringify(admission.violations));
  return admission.resource;
}

function counted(generation: number, data: Record<string, string>): Resource {
  const resource = configMap('x', data);
  return { ...resource, metadata: { ...resource.metadata, generation } };
}

function fixture(): { store: ReturnType<typeof createStore>; seen: Snapshot[]; tick: () => void } {
  let now = NOON;
  const store = createStore({ wall: () => now });
  const seen: Snapshot[] = [];
  store.subscribe((snapshot) => seen.push(snapshot));
  return { store, seen, tick: () => (now += 1000) };
}

test('objects get a creation time, a generation and a growing version; the time survives changes', () => {
  const { store, tick } = fixture();
  store.apply('a', configMap('x'));
  const first = store.snapshot().get('ConfigMap', 'default', 'x');
  expect(first?.metadata).toMatchObject({
    creationTimestamp: '2020-02-02T12:00:00.000Z',
    generation: 1,
    resourceVersion: '1',
  });
  tick();
  store.apply('a', configMap('x', { k: 'v' }));
  const second = store.snapshot().get('ConfigMap', 'default', 'x');
  expect(second).toMatchObject({
    data: { k: 'v' },
    metadata: { creationTimestamp: '2020-02-02T12:00:00.000Z', generation: 2, resourceVersion: '2' },
  });
  expect(first).not.toHaveProperty('data.k');
});

test('a generation that an API server counted is kept, whether or not every change was seen', () => {
  const { store } = fixture();
  const generation = (): number | undefined => store.snapshot().get('ConfigMap', 'default', 'x')?.metadata.generation;
  store.apply('a', counted(2, {}));
  expect(generation()).toBe(2);
  store.apply('a', counted(5, { k: 'v' }));
  expect(generation()).toBe(5);
});

test('several sources change in one step, and the same content is no change', () => {
  const { store, seen } = fixture();
  const contents = new Map([
    ['a', [configMap('x')]],
    ['b', [configMap('y'), configMap('z')]],
  ]);
  store.replace(contents);
  store.replace(contents);
  expect(seen.map(({ generation, resources }) => [generation, resources.size])).toEqual([[1, 3]]);
});

test('unchanged objects are the same objects in the next snapshot', () => {
  const { store } = fixture();
  store.replace(
    new Map([
      ['a', [configMap('x')]],
      ['b', [configMap('y')]],
    ]),
  );
  const before = store.snapshot();
  store.replace(new Map([['b', []]]));
  expect(store.snapshot().get('ConfigMap', 'default', 'x')).toBe(before.get('ConfigMap', 'default', 'x'));
  expect(before.resources.size).toBe(2);
  expect(store.snapshot().resources.size).toBe(1);
});

test('kinds are listed by namespace and name', () => {
  const { store } = fixture();
  store.replace(new Map([['a', [configMap('b', {}, 'n2'), configMap('c', {}, 'n1'), configMap('a', {}, 'n2')]]]));
  expect(
    store
      .snapshot()
      .byKind('ConfigMap')
      .map(({ metadata }) => metadata.name),
  ).toEqual(['c', 'a', 'b']);
  expect(store.snapshot().byKind('Secret')).toEqual([]);
});

test('an object of two sources stays with the one that had it, and passes on when that gives it up', () => {
  const { store } = fixture();
  store.replace(new Map([['b', [configMap('x', { from: 'b' })]]]));
  const conflicts = store.replace(new Map([['a', [configMap('x', { from: 'a' })]]]));
  expect(conflicts).toEqual([{ key: 'ConfigMap/default/x', source: 'a', owner: 'b' }]);
  expect(store.snapshot().get('ConfigMap', 'default', 'x')?.data).toEqual({ from: 'b' });
  expect(store.delete('b', 'ConfigMap/default/x')).toBe(true);
  expect(store.snapshot().get('ConfigMap', 'default', 'x')?.data).toEqual({ from: 'a' });
  expect(store.sourceOf('ConfigMap/default/x')).toBe('a');
  expect(store.delete('b', 'ConfigMap/default/x')).toBe(false);
});

test('whoever stopped listening hears nothing more', () => {
  const { store, seen } = fixture();
  const heard: number[] = [];
  const stop = store.subscribe(({ generation }) => heard.push(generation));
  store.apply('a', configMap('x'));
  stop();
  store.apply('a', configMap('y'));
  expect(heard).toEqual([1]);
  expect(seen).toHaveLength(2);
});
