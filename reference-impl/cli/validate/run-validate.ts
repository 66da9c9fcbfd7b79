import type { Readable, Writable } from 'node:stream';
import { inputsOf } from './read-input.ts';
import { type Finding, type Unreadable, validateText, type Verdict } from './validate-text.ts';

export interface ValidateFlags {
  readonly file: string;
  readonly output: 'text' | 'json';
  readonly defaults?: boolean;
}

/** Checks every resource of the path. Gives 0 when all are valid, 1 when some are not, 2 when some input is unreadable. */
export async function runValidate(
  flags: ValidateFlags,
  standardInput: Readable,
  output: Writable,
  problems: Writable,
): Promise<number> {
  const verdicts: Verdict[] = [];
  const unreadable: Unreadable[] = [];
  const seen = new Map<string, string>();
  for await (const input of inputsOf(flags.file, standardInput)) {
    if ('unreadable' in input) {
      unreadable.push({ file: input.file, line: input.line ?? 1, column: 1, message: input.unreadable });
      continue;
    }
    const validated = validateText(input.file, input.text, seen, flags.defaults === true);
    verdicts.push(...validated.verdicts);
    unreadable.push(...validated.unreadable);
  }
  const invalid = verdicts.filter(({ valid }) => !valid).length;
  if (flags.output === 'json') {
    const summary = { valid: verdicts.length - invalid, invalid, unreadable: unreadable.length };
    output.write(`${JSON.stringify({ documents: verdicts, unreadable, summary }, undefined, 2)}\n`);
  } else {
    for (const verdict of verdicts) output.write(`${textOf(verdict).join('\n')}\n`);
    output.write(`${verdicts.length - invalid} valid, ${invalid} invalid\n`);
  }
  for (const { file, line, column, message } of unreadable) problems.write(`${file}:${line}:${column}: ${message}\n`);
  if (unreadable.length > 0) return 2;
  return invalid > 0 ? 1 : 0;
}

function textOf({ file, line, kind, name, valid, errors, warnings }: Verdict): string[] {
  const what = [kind, name].filter((part) => part !== undefined).join(' ');
  return [
    `${file}:${line}: ${what === '' ? '' : `${what}: `}${valid ? 'valid' : 'invalid'}`,
    ...errors.map((finding) => `  ${findingText(file, finding)}`),
    ...warnings.map((finding) => `  warning: ${findingText(file, finding)}`),
  ];
}

function findingText(file: string, { path, message, clause, line, column }: Finding): string {
  const where = `${file}:${line}:${column}`;
  return `${where} ${path === '' ? '' : `${path}: `}${message}${clause === undefined ? '' : ` [${clause}]`}`;
}
