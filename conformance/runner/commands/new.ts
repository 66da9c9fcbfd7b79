import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { schemaComment } from '../case/json-schema.ts';
import { levelOf } from '../clauses/register.ts';
import type { Clause, Register } from '../clauses/register.ts';
import { CASES_FOLDER } from '../load-suite.ts';
import { nearest } from '../values/nearest.ts';
import { print, readFrame, usageError } from './suite.ts';

interface NewOptions {
  readonly clause: string;
  readonly suite?: string;
  readonly write: boolean;
}

/** `conform new --clause ID [--suite S] [--write]`: a case to start from; everything to fill in says TODO. */
export function addNewCommand(program: Command): void {
  program
    .command('new')
    .description('print a case to start from')
    .requiredOption('--clause <id>', 'the clause the case is about')
    .option('--suite <name>', 'suite such as attachment.merge; from the area of the clause when absent')
    .option('--write', 'write the file under conformance/cases instead of printing it', false)
    .action(create);
}

const SUITE = /^[a-z0-9]+(\.[a-z0-9-]+)*$/;

async function create(options: NewOptions): Promise<void> {
  const { root, register } = await readFrame();
  const clause = register.clauses.get(options.clause.toUpperCase());
  if (clause === undefined) return usageError(unknownClause(options.clause, register));
  const folder = register.areas.find(({ area }) => area === clause.area)?.cases ?? clause.area.toLowerCase();
  const suite = options.suite ?? `${folder}.${clause.area.toLowerCase()}`;
  if (!SUITE.test(suite))
    return usageError(`--suite ${suite}: lower-case words joined by dots, such as attachment.merge`);
  const text = skeleton(clause, suite, register);
  if (!options.write) return print(text);
  const file = path.join(CASES_FOLDER, folder, `${suite.split('.').at(-1) ?? suite}-${clause.id.toLowerCase()}.yaml`);
  if (existsSync(path.join(root, file))) return usageError(`${file} exists already`);
  await mkdir(path.join(root, CASES_FOLDER, folder), { recursive: true });
  await writeFile(path.join(root, file), text);
  print(file);
}

function unknownClause(id: string, register: Register): string {
  const hint = nearest(id, [...register.clauses.keys()]);
  return `the register has no clause ${id}${hint === undefined ? '' : `, did you mean ${hint}?`}`;
}

/** A case file with one case for the clause; it passes the schema as it is. */
export function skeleton(clause: Clause, suite: string, register: Pick<Register, 'clauses'>): string {
  const { id, statement, negative, source } = clause;
  const kills =
    levelOf(register.clauses, [{ id }]) === 'must'
      ? `\n    kills: [todo-defect] # TODO the defects of conformance/gallery this case catches`
      : '';
  return `${schemaComment('../../../')}
suite: ${suite}
cases:
  # ${id}: ${statement}
  # ${source.document} line ${source.line}. A wrong implementation: ${negative}
  - id: ${suite}.${id.toLowerCase()}
    title: TODO what is true of a right implementation, as a fact
    clauses:
      - { id: ${id}, as: positive }
      - { id: ${id}, as: negative } # TODO keep if the case also shows what must not happen
    peers:
      up: { kind: http, reply: { status: 200, body: from-up } }
    topology: { to: up }
    config: [] # TODO policies such as { kind: ProxyPolicy, metadata: { name: p }, spec: { targetRefs: [{ at: route }] } }
    steps:
      - { id: works, control: true, http: { GET: /works }, expect: { status: 200 } }
      - { id: call, http: { GET: /call }, expect: { status: 200 } } # TODO the request and its answer
    expect:
      received: { up: [{ GET: /works }, { GET: /call }] }${kills}
`;
}
