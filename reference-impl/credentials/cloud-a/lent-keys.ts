import type { SigningKeys } from './sign-v4.ts';

/** Keys that somebody lent the proxy for a while. */
export interface LentKeys {
  readonly keys: SigningKeys;
  /** Milliseconds since 1970; undefined when nobody said. */
  readonly until: number | undefined;
}
