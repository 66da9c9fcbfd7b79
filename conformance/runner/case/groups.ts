/**
 * Suites that one word asks for together, where the folders are cut another way: the suites lie with what document 001 has them under, and
 * their ids stay as they are. A member stands for its sub-suites too.
 */
export const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  // How the proxy proves itself to a backend.
  [
    'auth',
    [
      'backend.auth',
      'backend.cloud-a',
      'backend.cloud-b',
      'backend.cloud-c',
      'backend.cross-app-access',
      'backend.guide',
      'backend.jwt-sign',
      'backend.oauth-token-exchange',
      'backend.places',
      'resources.backend-auth',
    ],
  ],
]);

/** The names a pattern has when it is read as that of a suite: itself and, of a group, every member. Names are in lower case. */
export function suitesNamed(pattern: string): readonly string[] {
  const name = pattern.toLowerCase();
  return [name, ...(GROUPS.get(name) ?? [])];
}
