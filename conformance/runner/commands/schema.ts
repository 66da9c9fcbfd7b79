import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { CASE_SCHEMA_FILE, caseSchemaText } from '../case/json-schema.ts';
import { packageRoot } from '../values/package-root.ts';
import { EXIT } from '../verdict/exit-code.ts';
import { print } from './suite.ts';

/** `conform schema write` generates the schema of case files, `conform schema check` says whether the file is fresh. */
export function addSchemaCommand(program: Command): void {
  const schema = program.command('schema').description('the published schema of case files');
  schema.command('write').description(`write ${CASE_SCHEMA_FILE}`).action(write);
  schema.command('check').description(`fail when ${CASE_SCHEMA_FILE} is not what write would write`).action(check);
}

async function write(): Promise<void> {
  await writeFile(path.join(packageRoot(), CASE_SCHEMA_FILE), caseSchemaText());
  print(`wrote ${CASE_SCHEMA_FILE}`);
}

async function check(): Promise<void> {
  const written = await readFile(path.join(packageRoot(), CASE_SCHEMA_FILE), 'utf8').catch(() => '');
  if (written === caseSchemaText()) return print(`${CASE_SCHEMA_FILE} is fresh`);
  process.stderr.write(`${CASE_SCHEMA_FILE} is not fresh; run conform schema write\n`);
  process.exitCode = EXIT.failed;
}
