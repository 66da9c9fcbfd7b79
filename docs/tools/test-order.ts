// The order of unit test files, for vitest.config.ts: a long file that begins last keeps one worker busy while the others have nothing to do.
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, the longest first. Vitest knows how long files took on the last run, which a fresh clone has not had. */
const LONGEST = [
  'conformance/runner/test/run.test.ts',
  'conformance/runner/test/watch/watch.test.ts',
  'reference-impl/test/backends/mcp/real-programs.test.ts',
  'docs/tools/test/mutants/mutants.test.ts',
  'docs/tools/test/examples/examples.test.ts',
  'conformance/runner/test/fuzz/fuzz-family.test.ts',
  'conformance/runner/test/examples-ci.test.ts',
  'reference-impl/test/server/hostile-clients.test.ts',
  'docs/tools/test/looks/looks.test.ts',
  'reference-impl/test/deployer/kubectl.test.ts',
  'reference-impl/test/admin/resource-api/kubectl.test.ts',
  'conformance/runner/test/live/live-check.test.ts',
  'conformance/runner/test/commands/init.test.ts',
  'conformance/runner/test/gallery/passing.test.ts',
  'conformance/runner/test/action.test.ts',
  'reference-impl/test/cli/never-a-secret.test.ts',
  'docs/tools/test/report-secrets.test.ts',
  'conformance/runner/test/peers-address.test.ts',
];

/** The order of vitest, with what takes longest before everything else. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const index = LONGEST.indexOf(path.relative(process.cwd(), moduleId));
  return index < 0 ? LONGEST.length : index;
}
