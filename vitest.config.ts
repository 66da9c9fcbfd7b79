import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{reference-impl,mocks,conformance/runner,bench}/test/**/*.test.ts'],
    setupFiles: ['docs/tools/property-seed.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
