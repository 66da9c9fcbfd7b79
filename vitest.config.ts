import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { FUZZED_FILES } from './docs/tools/fuzzed-files.ts';
import { LongestFirst } from './docs/tools/test-order.ts';

const EVERY_TEST = '{reference-impl,mocks,conformance/runner,bench,docs/tools}/test/**/*.test.ts';

/** What the system trusts is read once in a process: who brings a system of its own needs a process nobody asked before. */
const ALONE = [
  'reference-impl/test/upstream/http2.test.ts',
  // It stands in for a module of Node, which whoever was loaded before has got already.
  'conformance/runner/test/sut/peer-place.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      // No test leaves anything behind in its process, so files share the modules they import: a third of the time went into loading them again.
      {
        extends: true,
        test: { name: 'shared', include: [EVERY_TEST], exclude: [...ALONE, ...FUZZED_FILES], isolate: false },
      },
      { extends: true, test: { name: 'fuzzed', include: [...FUZZED_FILES], isolate: false } },
      { extends: true, test: { name: 'alone', include: ALONE, isolate: true } },
    ],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['docs/tools/property-seed.ts'],
    // Programs that tests start from their sources, some of them a hundred times, find there what was made of these before: where Node keeps it anyway.
    env: { NODE_COMPILE_CACHE: path.join(tmpdir(), 'node-compile-cache') },
    // One per core: most of them wait for others as much as they work.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // What is looked for again and again comes late on a machine with other work: one second has been too short there.
    expect: { poll: { timeout: 15_000 } },
    // A worker ends within half a second of its last file; a machine with other work has kept one from it for more than the usual ten.
    teardownTimeout: 60_000,
  },
});
