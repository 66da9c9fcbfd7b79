import type { Path } from './check.ts';

/**
 * The case itself is wrong (an unknown variable, a matcher with a bad argument): never the implementation's fault.
 * `at` is the place in the case file.
 */
export class AuthoringError extends Error {
  readonly at: Path;

  constructor(message: string, at: Path) {
    super(message);
    this.name = 'AuthoringError';
    this.at = at;
  }
}
