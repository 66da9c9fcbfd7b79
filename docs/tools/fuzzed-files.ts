/** Tests of what parses bytes: CI runs them by the clock, and not a second time among the unit tests. */
export const FUZZED_FILES = [
  'reference-impl/test/server/parsers.fuzz.test.ts',
  'reference-impl/test/server/proxy-header.test.ts',
  'reference-impl/test/server/client-frames.test.ts',
  'reference-impl/test/backends/ai/streams/sse.test.ts',
  'reference-impl/test/backends/ai/streams/binary-events.test.ts',
  'reference-impl/test/upstream/parsers.fuzz.test.ts',
] as const;
