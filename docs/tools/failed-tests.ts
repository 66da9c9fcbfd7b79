/** ` FAIL  |PROJECT| FILE > NAME > NAME`, or ` FAIL  |PROJECT| FILE [ FILE ]` for a file that cannot be loaded. */
const FAILED = /^ FAIL {2}\|[^|]+\| (?<file>\S+\.test\.ts)(?<test> .*)?$/;

/** An error of no test: nobody knows which file would show it again. */
const UNHANDLED = /Unhandled (?:Errors?|Rejections?)\b/;

/** What vitest's default reporter says, without colours, about tests that failed. */
export interface FailedTests {
  /** Each once, relative to the package. */
  readonly files: readonly string[];
  /** `FILE > NAME > NAME`, each once. */
  readonly tests: readonly string[];
}

/** Reads it from the output of a run; undefined when no test failed, or when something beside tests did. */
export function failedTests(output: string): FailedTests | undefined {
  const lines = output.split('\n');
  if (lines.some((line) => UNHANDLED.test(line))) return undefined;
  const found = lines.flatMap((line) => {
    const { file, test = '' } = FAILED.exec(line)?.groups ?? {};
    return file === undefined ? [] : [{ file, test: `${file}${test}` }];
  });
  if (found.length === 0) return undefined;
  return { files: [...new Set(found.map(({ file }) => file))], tests: [...new Set(found.map(({ test }) => test))] };
}
