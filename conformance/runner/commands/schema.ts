import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { CASE_SCHEMA_FILE, caseSchemaText } from '../case/json-schema.ts';
import { RESULT_SCHEMA_FILE, resultSchemaText } from '../report/conformance-result.ts';
import { EVENT_SCHEMA_FILE, eventSchemaText } from '../report/event-schema.ts';
import { REPORT_SCHEMA_FILE, reportSchemaText } from '../report/report-schema.ts';
import { ADAPTER_SCHEMA_FILE, adapterSchemaText } from '../sut/adapter-json-schema.ts';
import { MANIFEST_SCHEMA_FILE, manifestSchemaText } from '../sut/manifest-json-schema.ts';
import { packageRoot } from '../values/package-root.ts';
import { EXIT } from '../verdict/exit-code.ts';
import { KNOWN_SCHEMA_FILE, knownSchemaText } from '../verdict/known-schema.ts';
import { print } from './suite.ts';

/** The published schemas, and what makes their text. */
const SCHEMAS: readonly (readonly [file: string, text: () => string])[] = [
  [CASE_SCHEMA_FILE, caseSchemaText],
  [REPORT_SCHEMA_FILE, reportSchemaText],
  [EVENT_SCHEMA_FILE, eventSchemaText],
  [RESULT_SCHEMA_FILE, resultSchemaText],
  [MANIFEST_SCHEMA_FILE, manifestSchemaText],
  [ADAPTER_SCHEMA_FILE, adapterSchemaText],
  [KNOWN_SCHEMA_FILE, knownSchemaText],
];

/** `conform schema write` generates the published schemas, `conform schema check` says whether they are fresh. */
export function addSchemaCommand(program: Command): void {
  const files = SCHEMAS.map(([file]) => path.basename(file)).join(', ');
  const schema = program.command('schema').description('the published JSON Schemas of what people and programs write');
  schema.command('write').description(`write ${files}`).action(write);
  schema.command('check').description(`fail when one of ${files} is not what write would write`).action(check);
}

async function write(): Promise<void> {
  for (const [file, text] of SCHEMAS) {
    await writeFile(path.join(packageRoot(), file), text());
    print(`wrote ${file}`);
  }
}

async function check(): Promise<void> {
  for (const [file, text] of SCHEMAS) {
    const written = await readFile(path.join(packageRoot(), file), 'utf8').catch(() => '');
    if (written === text()) {
      print(`${file} is fresh`);
      continue;
    }
    process.stderr.write(`${file} is not fresh; run conform schema write\n`);
    process.exitCode = EXIT.failed;
  }
}
