import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{reference-impl,mocks,conformance/runner,bench,docs/tools}/test/**/*.test.ts'],
    setupFiles: ['docs/tools/property-seed.ts'],
    // No test leaves anything behind in its process, so files share the modules they import: a third of the time went into loading them again.
    isolate: false,
    // One per core: most of them wait for others as much as they work.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // A worker ends within half a second of its last file; a machine with other work has kept one from it for more than the usual ten.
    teardownTimeout: 60_000,
  },
});
