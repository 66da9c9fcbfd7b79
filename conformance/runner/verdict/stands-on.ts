/**
 * Whether a case that requires these stands on the one: `traffic.retry.codes` means all rows of it, `traffic.retry.codes[one-code]` that
 * row alone.
 */
export function standsOn(
  requires: readonly string[],
  { id, baseId }: { readonly id: string; readonly baseId: string },
): boolean {
  return requires.includes(baseId) || requires.includes(id);
}
