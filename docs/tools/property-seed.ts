// Loaded before every unit test file. CI gives a seed that its commit determines, so that a red property is red again
// on the same commit; everywhere else properties draw anew each time.
import { configureGlobal } from 'fast-check';

const { PROPERTY_SEED: seed } = process.env;
if (seed !== undefined && /^\d+$/.test(seed)) configureGlobal({ seed: Number(seed) });
