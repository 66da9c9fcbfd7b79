/** The target of a request without its query. */
export function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/** The query of a target without its question mark; empty where there is none. */
export function queryOf(target: string): string {
  return target.slice(pathOf(target).length + 1);
}

/** Whether a target is at the path of a script, which looks at the query only when it has a question mark itself. */
export function isAt(target: string, path: string): boolean {
  return (path.includes('?') ? target : pathOf(target)) === path;
}
