import { expect, test } from 'vitest';
import { mergeParameters } from '../../deployer/merge-parameters.ts';

test('objects of settings merge member by member', () => {
  const merged = mergeParameters(
    { image: { tag: 'v1', registry: 'a.example' }, logging: { level: 'warn' }, mesh: { network: 'n' } },
    { image: { tag: 'v2' }, logging: { format: 'json' } },
  );
  expect(merged).toMatchObject({
    image: { tag: 'v2', registry: 'a.example' },
    logging: { level: 'warn', format: 'json' },
    mesh: { network: 'n' },
  });
});

test('resources merge by name of the resource', () => {
  const merged = mergeParameters(
    { resources: { requests: { cpu: '1', memory: '2Gi' } } },
    { resources: { requests: { cpu: '3' }, limits: { cpu: '4' } } },
  );
  expect(merged.resources).toEqual({ requests: { cpu: '3', memory: '2Gi' }, limits: { cpu: '4' } });
});

test('a variable that both set stays where the class put it', () => {
  const merged = mergeParameters(
    {
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    },
    {
      env: [
        { name: 'C', value: '3' },
        { name: 'A', valueFrom: {} },
      ],
    },
  );
  expect(merged.env).toEqual([
    { name: 'A', valueFrom: {} },
    { name: 'B', value: '2' },
    { name: 'C', value: '3' },
  ]);
});

test('shutdown and rawConfig are replaced whole', () => {
  const merged = mergeParameters(
    { shutdown: { min: 1, max: 2 }, rawConfig: { a: 1 } },
    { shutdown: { min: 3, max: 4 }, rawConfig: { b: 2 } },
  );
  expect(merged).toMatchObject({ shutdown: { min: 3, max: 4 }, rawConfig: { b: 2 } });
  expect(merged.rawConfig).toEqual({ b: 2 });
});
