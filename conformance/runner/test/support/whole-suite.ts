import { loadSuite } from '../../load-suite.ts';
import { once } from '../../values/once.ts';

/** Every case of the package, read once for all the tests of a process: that takes a second of a CPU. */
export const wholeSuite = once(async () => loadSuite({}));
