// Loaded before every unit test file. CI gives a seed that its commit determines, so that a red property is red again
// on the same commit; everywhere else properties draw anew each time. fuzz-parsers.ts gives each property a time instead of a number of runs.
import { configureGlobal } from 'fast-check';

const { PROPERTY_SEED: seed, PROPERTY_MILLISECONDS: milliseconds } = process.env;
configureGlobal({
  ...(isNumber(seed) && { seed: Number(seed) }),
  ...(isNumber(milliseconds) && {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: Number(milliseconds),
    markInterruptAsFailure: false,
  }),
});

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^\d+$/.test(text);
}
