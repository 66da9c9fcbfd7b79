import { describe, expect, it } from 'vitest';
import { fieldTable, tableOf } from '../../case/generate/field-table.ts';
import { fragments, fragmentsOf } from '../../case/generate/fragments.ts';
import { boundaryRows } from '../../case/generate/boundary-rows.ts';
import { kebab } from '../../case/generate/kebab.ts';
import { globExpression } from '../../values/glob.ts';

const POLICY = { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyPolicy', metadata: { name: 'p' }, spec: {} };
const given = fragmentsOf({ values: { ProxyPolicy: POLICY }, forms: { Name: { bad: { space: 'a b' } } } });

// Without those that are of another type.
function rowsOf(...fields: readonly object[]): ReturnType<typeof boundaryRows> {
  return everyRowOf(...fields).filter(({ name }) => !/(other-type|fraction)$/.test(name));
}

function everyRowOf(...fields: readonly object[]): ReturnType<typeof boundaryRows> {
  return boundaryRows(tableOf(fields.map((field) => ({ kind: 'ProxyPolicy', ...field }))), given);
}

function specsOf(type: string): unknown {
  return everyRowOf({ path: 'spec.x', type }).map(({ name, resource }) => [name, resource()['spec']]);
}

describe('the boundaries of a field', () => {
  it('are one below, at and one above each bound of a number', () => {
    const rows = rowsOf({ path: 'spec.port', type: 'integer', min: 1, max: 9 });
    expect(rows.map(({ name, accepted, resource }) => [name, accepted, resource()['spec']])).toEqual([
      ['min-minus-one', false, { port: 0 }],
      ['min', true, { port: 1 }],
      ['max', true, { port: 9 }],
      ['max-plus-one', false, { port: 10 }],
    ]);
  });

  it('are lengths of a text, and of the items of a list', () => {
    const rows = rowsOf({ path: 'spec.names', type: 'array<string>', min: 1, max: 2 });
    expect(rows.map(({ name, resource }) => [name, resource()['spec']])).toEqual([
      ['min-minus-one', { names: [] }],
      ['min', { names: ['a0'] }],
      ['max', { names: ['a0', 'a1'] }],
      ['max-plus-one', { names: ['a0', 'a1', 'a2'] }],
    ]);
  });

  it('are every value and one other, unless the document leaves the set open', () => {
    const small = rowsOf({ path: 'spec.mode', type: 'string', enum: ['on'] });
    expect(small.at(-2)?.resource()['spec']).toEqual({ mode: 'ON' });
    const closed = rowsOf({ path: 'spec.mode', type: 'string', enum: ['On', 'Off'] });
    expect(closed.map(({ name }) => name)).toEqual(['value-on', 'value-off', 'other-value', 'other-case', 'empty']);
    // The right ones would also pass where nothing is looked at, so a value of another type stands beside them.
    const open = everyRowOf({ path: 'spec.mode', type: 'string', enum: ['On'], open: true });
    expect(open.map(({ name, twin }) => [name, twin()['spec']])).toEqual([
      ['value-on', { mode: { k0: 'a' } }],
      ['other-type', { mode: 'On' }],
    ]);
  });

  it('are values of another type, which no reading makes one of the type', () => {
    expect(specsOf('integer')).toEqual([
      ['other-type', { x: 'many' }],
      ['fraction', { x: 1.5 }],
    ]);
    expect(specsOf('boolean')).toEqual([['other-type', { x: 'perhaps' }]]);
    expect(specsOf('array<string>')).toEqual([
      ['item-other-type', { x: [{ k0: 'a' }] }],
      ['other-type', { x: { k0: 'a' } }],
    ]);
    expect(specsOf('map<string,integer>')).toEqual([
      ['item-other-type', { x: { k0: 'many' } }],
      ['item-fraction', { x: { k0: 1.5 } }],
      ['other-type', { x: ['a'] }],
    ]);
    expect(specsOf('unspecified')).toEqual([]);
    // Whether a block may be empty is not stated, so nothing right could stand beside this.
    expect(specsOf('object')).toEqual([]);
  });

  it('are forms that are wrong, and a required field left out', () => {
    const rows = boundaryRows(
      tableOf([
        { kind: 'Name', path: '.', type: 'string', pattern: '^a$' },
        { kind: 'ProxyPolicy', path: 'spec.name', type: 'Name', required: true, clauses: { required: 'ADMIT-065' } },
      ]),
      given,
    );
    expect(rows.map(({ name, resource, twin }) => [name, resource()['spec'], twin()['spec']])).toEqual([
      ['left-out', {}, { name: 'a0' }],
      ['space', { name: 'a b' }, { name: 'a0' }],
      ['other-type', { name: { k0: 'a' } }, { name: 'a0' }],
    ]);
    expect(rows[0]?.clauses).toEqual([
      { id: 'ADMIT-065', as: 'positive' },
      { id: 'ADMIT-065', as: 'negative' },
    ]);
  });

  it('are every two members of a group', () => {
    const group = ['g:at-most-one'];
    const names = ['a', 'b', 'c', 'd'];
    const rows = rowsOf(...names.map((name) => ({ path: `spec.${name}`, type: 'string', group })));
    expect(rows.filter(({ accepted }) => !accepted).map(({ name }) => name)).toEqual([
      'a-and-b',
      'a-and-c',
      'a-and-d',
      'b-and-c',
      'b-and-d',
      'c-and-d',
    ]);
  });

  it.each([
    ['exactly-one', { none: false, 'only-a': true, 'only-b': true, 'a-and-b': false }],
    ['at-most-one', { none: true, 'only-a': true, 'only-b': true, 'a-and-b': false }],
    ['all-or-none', { none: true, 'only-a': false, 'only-b': false, 'a-and-b': true }],
  ])('are none, each alone and both of a group: %s', (rule, expected) => {
    const rows = rowsOf(
      { path: 'spec.a', type: 'string', group: [`g:${rule}`] },
      { path: 'spec.b', type: 'string', group: [`g:${rule}`] },
    );
    expect(Object.fromEntries(rows.map(({ name, accepted }) => [name, accepted]))).toEqual(expected);
    for (const { name, resource } of rows) {
      const set = Object.keys(resource()['spec'] ?? {}).toSorted();
      expect(set).toEqual(name === 'none' ? [] : name.replace('only-', '').split('-and-'));
    }
  });
});

describe('a block that stands in several places', () => {
  it('is bounded where it is nearest, and looked into everywhere else', () => {
    const rows = boundaryRows(
      tableOf([
        { kind: 'ProxyPolicy', path: 'spec.near', type: 'Block' },
        { kind: 'ProxyPolicy', path: 'spec.also', type: 'Block' },
        { kind: 'Block', path: 'name', type: 'string', required: true, max: 3 },
        { kind: 'Block', path: 'size', type: 'integer', min: 1 },
      ]),
      given,
    );
    const also = rows.filter(({ key }) => key.startsWith('ProxyPolicy.spec.also[inside'));
    expect(
      also.map(({ key, accepted, resource, twin }) => [key, accepted, resource()['spec'], twin()['spec']]),
    ).toEqual([
      ['ProxyPolicy.spec.also[inside-name-left-out]', false, { also: {} }, { also: { name: 'a0' } }],
      ['ProxyPolicy.spec.also[inside-name-max-plus-one]', false, { also: { name: 'aaaa' } }, { also: { name: 'a0' } }],
    ]);
    expect(rows.filter(({ key }) => key.startsWith('Block.'))).toHaveLength(8);
  });

  it('is looked into by the first of its bounds when it demands nothing', () => {
    const rows = boundaryRows(
      tableOf([
        { kind: 'ProxyPolicy', path: 'spec.near', type: 'Block' },
        { kind: 'ProxyPolicy', path: 'spec.also', type: 'Block' },
        { kind: 'Block', path: 'size', type: 'integer', min: 1, max: 2 },
      ]),
      given,
    );
    expect(rows.map(({ key }) => key).filter((key) => key.includes('inside'))).toEqual([
      'ProxyPolicy.spec.also[inside-size-min-minus-one]',
    ]);
  });
});

describe('the cases of this package', () => {
  const rows = boundaryRows(fieldTable(), fragments());

  it('are many, each with an id of its own and a twin that differs', () => {
    expect(rows.length).toBeGreaterThan(2000);
    expect(new Set(rows.map(({ baseId, name }) => `${baseId}[${name}]`)).size).toBe(rows.length);
    for (const { key, resource, twin } of rows) expect(resource(), key).not.toEqual(twin());
  });

  it('leave out only rows that would be there', () => {
    const all = boundaryRows(fieldTable(), { ...fragments(), skip: [] }).map(({ key }) => key);
    const idle = fragments().skip.filter(({ rows: glob }) => !all.some((key) => globExpression(glob).test(key)));
    expect(idle).toEqual([]);
  });

  it('take values, lengths and forms of types and fields that exist', () => {
    const { values, lengths, forms } = fragments();
    const table = fieldTable();
    const kinds = new Set(table.fields.map(({ kind }) => kind));
    const fields = new Set(table.fields.map(({ kind, path }) => `${kind}.${path}`));
    const unknown = [values, lengths, forms]
      .flatMap((named) => Object.keys(named))
      .filter((key) => !kinds.has(key) && !fields.has(key) && !fields.has(key.replace(/\[\]$/, '')));
    expect(unknown).toEqual([]);
  });

  it('cite only clauses of the register, where the table names one', () => {
    for (const { clauses } of rows) for (const { id } of clauses) expect(id).toMatch(/^[A-Z]+-\d{3}$/);
  });
});

it.each([
  ['A2ABackend', 'a2a-backend'],
  ['AIPromptGuard', 'ai-prompt-guard'],
  ['OAuthTokenExchange', 'oauth-token-exchange'],
  ['CloudAAuth', 'cloud-a-auth'],
  ['spec.targetRefs[].sectionName', 'spec.target-refs.section-name'],
  ['http1MaxHeaders', 'http1-max-headers'],
])('%s is written %s', (name, expected) => {
  expect(kebab(name)).toBe(expected);
});
