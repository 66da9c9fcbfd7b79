import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { adapterSchemaText } from '../../sut/adapter-json-schema.ts';
import { missingPrograms } from '../../sut/requirements.ts';
import { isObject, type JsonObject } from '../../values/json.ts';
import { packageRoot } from '../../values/package-root.ts';
import { collect } from '../support/conform.ts';

const root = packageRoot();
const PAGE = 'docs/guide/adapter-protocol.md';
const COMMANDS: readonly unknown[] = ['hello', 'start', 'apply', 'op', 'stop'];

const parsedSchema: unknown = JSON.parse(adapterSchemaText());
const schema = isObject(parsedSchema) ? parsedSchema : {};
const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } }).addSchema(schema);

function validator(name: string): ValidateFunction {
  const found = ajv.getSchema(`urn:proxy-conformance:adapter:v1#/$defs/${name}`);
  if (found === undefined) throw new Error(`the schema has no ${name}`);
  return found;
}

interface Line {
  readonly from: string;
  readonly message: JsonObject;
}

function linesOf(text: string): readonly Line[] {
  return [...text.matchAll(/^([<>]) (\{.*)$/gm)].map(([, from = '', line = '']) => {
    const message: unknown = JSON.parse(line);
    return { from, message: isObject(message) ? message : {} };
  });
}

/** What is wrong with the lines of a session by the schema; each answer is held against what its command asked. */
function wrongLines(lines: readonly Line[]): readonly string[] {
  const asked = new Map<unknown, JsonObject>();
  return lines.flatMap(({ from, message }) => {
    if (from === '>') asked.set(message['seq'], message);
    return schemasFor(from, message, asked.get(message['seq']) ?? {}).flatMap(([name, value]) => {
      const validate = validator(name);
      return validate(value)
        ? []
        : [`${name}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value).slice(0, 200)}`];
    });
  });
}

/** The schemas a line has to follow, and with which part of it. */
function schemasFor(from: string, message: JsonObject, question: JsonObject): readonly (readonly [string, unknown])[] {
  const { cmd } = question;
  const known = COMMANDS.includes(cmd) ? String(cmd) : 'other';
  if (from === '>')
    return [
      ['request', message],
      [`${known}-request`, message],
    ];
  const isPolicy = cmd === 'op' && question['op'] === 'effective-policy' && 'result' in message;
  return [
    ['answer', message],
    [`${known}-answer`, message],
    ...(isPolicy ? [['effective-policy-result', message['result']] as const] : []),
  ];
}

/** Members the suite sends that the schema does not describe. */
function undescribed(lines: readonly Line[]): readonly string[] {
  const found = lines
    .filter(({ from, message }) => from === '>' && COMMANDS.includes(message['cmd']))
    .flatMap(({ message }) => {
      const name = String(message['cmd']);
      const known = membersOf(`${name}-request`);
      const input =
        isObject(message['input']) && message['op'] === 'effective-policy' ? Object.keys(message['input']) : [];
      return [
        ...Object.keys(message).filter((member) => !known.includes(member)),
        ...input.filter((member) => !membersOf('effective-policy-input').includes(member)),
      ].map((member) => `${name}: ${member}`);
    });
  return [...new Set(found)];
}

function membersOf(name: string): readonly string[] {
  const defs = isObject(schema['$defs']) ? schema['$defs'] : {};
  const def = defs[name];
  return isObject(def) && isObject(def['properties']) ? Object.keys(def['properties']) : [];
}

const documented = linesOf(readFileSync(path.join(root, PAGE), 'utf8'));

describe('the session in the documents', () => {
  test('is one the schema allows, line by line', () => {
    expect(documented.length).toBeGreaterThan(15);
    expect(wrongLines(documented)).toEqual([]);
    expect(undescribed(documented)).toEqual([]);
  });

  test('has every command, and an answer to each', () => {
    const asked = documented.filter(({ from }) => from === '>').map(({ message }) => message);
    expect(COMMANDS.filter((cmd) => !asked.some((message) => message['cmd'] === cmd))).toEqual([]);
    const answered = documented.filter(({ from }) => from === '<').map(({ message }) => message['seq']);
    expect(answered).toHaveLength(asked.length);
    expect(new Set(answered)).toEqual(new Set(asked.map((message) => message['seq'])));
  });

  test.each([
    ['a misspelt member', 'hello-request', { seq: 1, cmd: 'hello', protocl: 1 }],
    ['another version', 'hello-answer', { seq: 1, protocol: 2, implementation: { name: 'x' } }],
    ['no number', 'stop-answer', { ok: true }],
    ['a refusal without a reason', 'apply-answer', { seq: 1, rejected: [{ resource: 'ProxyModel a/b' }] }],
    ['an answer that says nothing', 'op-answer', { seq: 1, answer: 42 }],
    ['yes to a command nobody knows', 'other-answer', { seq: 1, ok: true }],
    ['a known command as an unknown one', 'other-request', { seq: 1, cmd: 'op' }],
    ['ports as texts', 'start-request', { seq: 1, cmd: 'start', dir: '/x', ports: { data: '1', admin: '2' } }],
    [
      'an operation without what it is asked about',
      'op-request',
      { seq: 1, cmd: 'op', case: 'a', op: 'effective-policy', input: { phase: 'route' } },
    ],
    ['a status of nothing', 'op-request', { seq: 1, cmd: 'op', case: 'a', op: 'status', input: { kind: 'Gateway' } }],
  ])('would not be with %s', (_, name, message) => {
    expect(validator(name)(message)).toBe(false);
  });
});

describe.skipIf(missingPrograms(['python3']).length > 0)(
  'what suite and tiny-proxy really say',
  { timeout: 60_000 },
  () => {
    test('follows the schema, and the schema describes all of it', async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'conform-session-'));
      try {
        const session = path.join(folder, 'session.txt');
        const recorder = path.join(root, 'conformance/runner/test/support/recording-adapter.ts');
        const adapter = path.join(root, 'examples/tiny-proxy/adapter.py');
        const command = [process.execPath, recorder, session, 'python3', '-B', adapter];
        const manifest = path.join(folder, 'implementation.yaml');
        await writeFile(
          manifest,
          `contract: 1
implementation: { name: tiny-proxy }
run: { kind: adapter }
adapter: ${JSON.stringify(command)}
features: { core.http: yes, core.match: yes, policy.attach: yes, policy.merge: yes, op.effective-policy: yes }
`,
        );
        const cases = ['attachment.merge.documents-example*', 'backend.static.address', 'routing.routes.redirect*'];
        const ended = await collect(['run', ...cases, '--impl', manifest, '--out', path.join(folder, 'out')]);
        expect(ended.stdout).toMatch(/\d+ pass/);
        const lines = linesOf(readFileSync(session, 'utf8'));
        const commands = new Set(lines.filter(({ from }) => from === '>').map(({ message }) => message['cmd']));
        expect([...commands]).toEqual(expect.arrayContaining([...COMMANDS]));
        expect(wrongLines(lines)).toEqual([]);
        expect(undescribed(lines)).toEqual([]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  },
);
