import type { Command } from 'commander';
import { checkClauses, checkSources, collectCitations } from '../clauses/check.ts';
import { decisionProblems } from '../clauses/decisions.ts';
import { EXIT } from '../verdict/exit-code.ts';
import { print, readSuite, reportProblems } from './suite.ts';

/** `conform clauses check [--sources DIR]`: register, cases, gallery, decisions and citations agree; exit code 1 when they do not. */
export function addClausesCommand(program: Command): void {
  program
    .command('clauses')
    .description('the register of clauses')
    .command('check')
    .description('check ids, levels and coverage of the register')
    .option('--sources <dir>', 'folder with the source documents, to compare their sums')
    .action(check);
}

async function check({ sources }: { readonly sources?: string }): Promise<void> {
  const { root, register, cases, defects, decisions, brokenDecisions, problems } = await readSuite();
  const found = [
    ...checkClauses({ register, cases, defects: defects ?? [], citations: await collectCitations(root) }),
    ...brokenDecisions,
    ...decisionProblems(decisions, register),
    ...(sources === undefined ? [] : await checkSources(register, sources)),
  ];
  for (const problem of found) process.stderr.write(`${problem}\n`);
  print(`${register.clauses.size} clauses, ${cases.length} cases, ${found.length} problems`);
  if (found.length > 0) process.exitCode = EXIT.failed;
  reportProblems(problems);
}
