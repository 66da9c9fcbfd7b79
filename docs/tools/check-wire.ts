// The generated messages were made from the sources beside them, and both copies are the same.
import { wireProblems } from './wire-sources.ts';

const problems = wireProblems();
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
