import { expect, test } from 'vitest';
import { failedTests } from '../failed-tests.ts';

const OUTPUT = `
 ✓ |shared| mocks/test/upstreams/tcp/blackhole.test.ts (1 test) 448ms

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 2 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  |shared| conformance/runner/test/run.test.ts > conform run > a port in use
AssertionError: expected 1 to be 2

 FAIL  |shared| conformance/runner/test/run.test.ts > conform run > a crash
AssertionError: expected 1 to be 2

 FAIL  |alone| reference-impl/test/upstream/http2.test.ts [ reference-impl/test/upstream/http2.test.ts ]
Error: no such file

 Test Files  2 failed | 500 passed (502)
      Tests  2 failed | 5000 passed (5002)
`;

test('each file with a failed test is named once, and each test', () => {
  expect(failedTests(OUTPUT)).toEqual({
    files: ['conformance/runner/test/run.test.ts', 'reference-impl/test/upstream/http2.test.ts'],
    tests: [
      'conformance/runner/test/run.test.ts > conform run > a port in use',
      'conformance/runner/test/run.test.ts > conform run > a crash',
      'reference-impl/test/upstream/http2.test.ts [ reference-impl/test/upstream/http2.test.ts ]',
    ],
  });
});

test('nothing is named where nothing failed, and where something beside the tests did', () => {
  expect(failedTests('      Tests  5000 passed (5000)')).toBeUndefined();
  expect(failedTests(`${OUTPUT}\n⎯⎯⎯ Unhandled Errors ⎯⎯⎯\nError: late`)).toBeUndefined();
});
