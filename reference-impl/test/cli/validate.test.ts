import { mkdtempSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runValidate, type ValidateFlags } from '../../cli/validate/run-validate.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'validate-'));
afterAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
});

const finding = z.object({
  path: z.string(),
  message: z.string(),
  clause: z.string().optional(),
  line: z.number(),
  column: z.number(),
});
const report = z.strictObject({
  documents: z.array(
    z.strictObject({
      file: z.string(),
      line: z.number(),
      kind: z.string().optional(),
      name: z.string().optional(),
      namespace: z.string().optional(),
      valid: z.boolean(),
      errors: z.array(finding),
      warnings: z.array(finding),
      resource: z.unknown().optional(),
    }),
  ),
  unreadable: z.array(z.strictObject({ file: z.string(), line: z.number(), column: z.number(), message: z.string() })),
  summary: z.strictObject({ valid: z.number(), invalid: z.number(), unreadable: z.number() }),
});

interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly problems: string;
}

async function run(flags: Partial<ValidateFlags> & { readonly file: string }, input = ''): Promise<Outcome> {
  const [output, problems] = [new PassThrough(), new PassThrough()];
  const code = await runValidate({ output: 'text', ...flags }, Readable.from([Buffer.from(input)]), output, problems);
  return { code, output: String(output.read() ?? ''), problems: String(problems.read() ?? '') };
}

async function json(
  text: string,
  more: Partial<ValidateFlags> = {},
): Promise<z.infer<typeof report> & { code: number }> {
  const { code, output } = await run({ file: '-', output: 'json', ...more }, text);
  return { code, ...report.parse(JSON.parse(output)) };
}

const POLICY = `apiVersion: proxy.example/v1alpha1
kind: ProxyPolicy
metadata: { name: p }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: Gateway, name: g }]
`;
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: { name: s }\nspec: {}\n';

test('says of every document what it is and whether it is valid', async () => {
  const { code, documents, summary } = await json(
    `${SERVICE}---\n${POLICY}  traffic:\n    timeouts: { request: soon }\n    delay: {}\n`,
  );
  expect(code).toBe(1);
  expect(summary).toEqual({ valid: 1, invalid: 1, unreadable: 0 });
  expect(documents).toMatchObject([
    { line: 1, kind: 'Service', name: 's', valid: true, errors: [] },
    {
      line: 6,
      kind: 'ProxyPolicy',
      name: 'p',
      valid: false,
      errors: [
        { path: 'spec.traffic.timeouts.request', clause: 'LIMIT-005', line: 12, column: 17 },
        { path: 'spec.traffic.delay.duration', message: 'required', clause: 'ADMIT-173', line: 13, column: 5 },
      ],
    },
  ]);
});

test('prints the same for people, in the form editors jump to', async () => {
  const { code, output, problems } = await run({ file: '-' }, `${POLICY}  trafic: {}\n`);
  expect({ code, problems }).toEqual({ code: 1, problems: '' });
  expect(output).toBe(`-:1: ProxyPolicy p: invalid
  -:6:3 spec.trafic: unknown field "trafic"; did you mean "traffic"?
  -:4:1 spec: at least one of frontend, traffic, backend must be set [ADMIT-153]
0 valid, 1 invalid
`);
});

test('expressions that do not compile are warnings, with line and column within the expression', async () => {
  const { code, documents } = await json(
    `${POLICY}  traffic:\n    authorization: { policy: { matchExpressions: ["true &&\\n unheardOf(1)"] } }\n`,
  );
  expect(code).toBe(0);
  const [warning] = documents[0]?.warnings ?? [];
  expect(warning?.path).toBe('spec.traffic.authorization.policy.matchExpressions[0]');
  expect(warning?.message).toMatch(/^invalid expression: 2:\d+: /);
});

test('deprecated fields are warnings that say what to use instead', async () => {
  const { code, documents } = await json(
    `${POLICY}  backend: { mcp: { authentication: { jwks: { jwksPath: a, backendRef: { name: i, port: 1 } } } } }\n`,
  );
  expect(code).toBe(0);
  expect(documents[0]?.warnings).toMatchObject([
    { path: 'spec.backend.mcp.authentication', message: 'deprecated: use traffic.jwtAuthentication.mcp', line: 6 },
  ]);
});

test('--defaults shows what the proxy assumes in blocks that are there, and adds no block', async () => {
  const { documents } = await json(`${POLICY}  frontend: { tcp: { keepalive: { retries: 3 } }, proxyProtocol: {} }\n`, {
    defaults: true,
  });
  expect(documents[0]?.resource).toHaveProperty('spec.frontend', {
    tcp: { keepalive: { retries: 3, time: '180s', interval: '180s' } },
    proxyProtocol: { version: 'V2', mode: 'Strict' },
  });
});

test('the items of a list are documents of their own', async () => {
  const { documents } = await json(
    '{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Service"}]}',
  );
  expect(documents).toMatchObject([
    { kind: 'Service', valid: false, errors: [{ path: 'metadata' }, { path: 'spec' }] },
  ]);
});

test('the same resource twice is an error at the second', async () => {
  const { code, documents } = await json(`${SERVICE}---\n${SERVICE}`);
  expect(code).toBe(1);
  expect(documents[1]?.errors).toMatchObject([{ message: 'Service/default/s is already at -:1' }]);
});

test('a document without apiVersion and kind is told apart from a wrong resource', async () => {
  const { code, documents } = await json('suite: a.b\ncases: []\n---\n- 1\n---\nplain\n');
  expect(code).toBe(1);
  expect(documents.map(({ errors }) => errors[0]?.message)).toEqual(
    Array.from({ length: 3 }, () => 'not a resource document: it has no apiVersion and no kind'),
  );
});

describe('a folder', () => {
  test('what cannot be read in it is told, and the rest is validated', async () => {
    const folder = join(FOLDER, 'links');
    mkdirSync(join(folder, 'inner'), { recursive: true });
    writeFileSync(join(folder, 'good.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
    symlinkSync('missing', join(folder, 'dangling.yaml'));
    symlinkSync('missing', join(folder, 'dangling.txt'));
    symlinkSync('..', join(folder, 'inner', 'above'));
    const { code, output, problems } = await run({ file: folder });
    expect(code).toBe(2);
    expect(output).toContain('1 valid, 0 invalid');
    const lines = problems.replaceAll(`${folder}/`, '').trim().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^dangling\.yaml:1:1: ENOENT/),
      'inner/above:1:1: the link leads back to a folder above it',
      expect.stringMatching(/^loop\.yaml:1:1: ELOOP/),
    ]);
  });

  test('is read to its depth, each file for itself', async () => {
    mkdirSync(join(FOLDER, 'deep'));
    writeFileSync(join(FOLDER, 'deep', 'b.yml'), SERVICE);
    writeFileSync(join(FOLDER, 'a.json'), '{"kind": ');
    writeFileSync(join(FOLDER, 'notes.txt'), 'nothing');
    const { code, output, problems } = await run({ file: FOLDER });
    expect(code).toBe(2);
    expect(output).toContain(`${join(FOLDER, 'deep', 'b.yml')}:1: Service s: valid`);
    expect(problems).toMatch(/a\.json:1:\d+: /);
  });

  test('that is not there is unreadable', async () => {
    const { code, problems } = await run({ file: join(FOLDER, 'none') });
    expect(code).toBe(2);
    expect(problems).toContain('ENOENT');
  });

  // The documents of all cases are judged by `check-crds`, and by the runs of the suite; here every file of one area is read.
  test('of case files gives a verdict on every file', { timeout: 120_000 }, async () => {
    const folder = 'conformance/cases/attachment';
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(?:yaml|json)$/.test(name),
    );
    const { code, output } = await run({ file: folder, output: 'json' });
    const { documents, unreadable } = report.parse(JSON.parse(output));
    expect([1, 2]).toContain(code);
    expect(new Set([...documents, ...unreadable].map(({ file }) => file)).size).toBe(files.length);
    for (const { valid, errors } of documents) expect(valid || errors.length > 0).toBe(true);
  });
});

describe('hostile input is refused with its place, in bounded time', () => {
  const bomb = [
    'a0: &a0 [x,x,x,x,x,x,x,x,x,x]',
    ...Array.from(
      { length: 12 },
      (_, at) => `a${at + 1}: &a${at + 1} [${Array.from({ length: 10 }, () => `*a${at}`).join(',')}]`,
    ),
  ].join('\n');

  test.each([
    ['an anchor bomb', bomb, /aliases expand to more than/],
    ['a repeated key', `${SERVICE}metadata: { name: t }\n`, /^-:5:1: the key "metadata" is repeated/],
    ['a key that changes what objects are', 'a: 1\n__proto__: { b: 1 }\n', /^-:2:1: the key __proto__ is not allowed/],
    ['a tab for indentation', 'a:\n\tb: 1\n', /^-:2:1: /],
    ['an unclosed quote', 'a: "b\n', /^-:\d+:\d+: /],
    ['deep nesting', `${'['.repeat(5000)}${']'.repeat(5000)}`, /nested/],
    ['a long YAML document', `a: ${'x'.repeat(1_600_000)}`, /may have 1572864 characters/],
    ['a JSON document beyond all bounds', `{"a": "${'x'.repeat(10 * 1024 * 1024)}"}`, /longer than 10485760 bytes/],
    ['documents without end', 'a: 1\n---\n'.repeat(10_001), /^-:20000:1: more than 10000 documents/],
  ])('%s', async (_, text, message) => {
    // Of this process alone: a busy machine does not count.
    const started = process.cpuUsage();
    const { code, problems } = await run({ file: '-' }, text);
    expect(code).toBe(2);
    expect(problems).toMatch(message);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
  });

  test('bytes that are no UTF-8, with their line', async () => {
    const file = join(FOLDER, 'latin.yaml');
    writeFileSync(file, Buffer.concat([Buffer.from('a: 1\nb: \uFFFD\nc: '), Buffer.from([0xe9, 0x0a])]));
    expect(await run({ file })).toMatchObject({ code: 2, problems: `${file}:3:1: the input is not UTF-8\n` });
  });

  test('deep JSON is a wrong resource, not a crash', async () => {
    const { code, documents } = await json(
      `{"apiVersion": "v1", "kind": "Service", "spec": ${'{"a":'.repeat(9000)}1${'}'.repeat(9001)}`,
    );
    expect(code).toBe(1);
    expect(documents[0]?.errors[0]?.message).toMatch(/nested deeper/);
  });
});

test('words that kubectl reads as true or false are warned about, quoted ones are not', async () => {
  const data = 'a: Off\n  b: on\n  c: YES\n  d: "no"\n  e: oN\n  f: true story\n  n: text';
  const { code, documents } = await json(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  ${data}\n`);
  expect(code).toBe(0);
  expect(documents[0]?.warnings.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
    '5:6 Off without quotes is a text here and false to kubectl; put it in quotes',
    '6:6 on without quotes is a text here and true to kubectl; put it in quotes',
    '7:6 YES without quotes is a text here and true to kubectl; put it in quotes',
    '11:3 n without quotes is a text here and false to kubectl; put it in quotes',
  ]);
});
