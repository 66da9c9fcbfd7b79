import type { Command } from 'commander';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { writtenStep } from '../case/load.ts';
import { EVERYTHING, matchesId } from '../case/select.ts';
import { describeUnmatched } from '../load-suite.ts';
import { yamlText } from '../values/yaml-text.ts';
import { print, readSuite, reportProblems, usageError } from './suite.ts';

/** `conform show CASE`: each concrete case as it runs, with rows filled in and defaults written out. */
export function addShowCommand(program: Command): void {
  program
    .command('show')
    .description('print a case as it runs')
    .argument('<case>', 'id, id without its row, or glob')
    .action(show);
}

async function show(pattern: string): Promise<void> {
  const { read, problems } = await readSuite({ selection: { ...EVERYTHING, patterns: [pattern] } });
  const cases = read.filter((given) => matchesId(pattern, given));
  if (cases.length === 0) return usageError(await describeUnmatched([pattern]));
  print(cases.map(expandedYaml).join('---\n'));
  reportProblems(problems.filter(({ file }) => cases.some((given) => given.file === file)));
}

function expandedYaml(given: ConcreteCase): string {
  const { position, at, baseId: _baseId, steps, file, ...rest } = given;
  const { line } = position(at);
  const content = { ...rest, steps: steps.map(writtenStep) };
  const shown = Object.entries(content).filter(([, value]) => !isEmpty(value));
  return `# ${file}:${line}\n${yamlText(Object.fromEntries(shown), { lineWidth: 120 })}`;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
