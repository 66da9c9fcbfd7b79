/** AI-008, AI-009: an exact name comes first, then the longest pattern with a `*` that fits; other names stay. */
export function compileAliases(aliases: Readonly<Record<string, string>> = {}): (model: string) => string {
  const patterns = Object.entries(aliases)
    .filter(([key]) => key.includes('*'))
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([key, name]) => ({ fits: wildcard(key), name }));
  return (model) =>
    Object.hasOwn(aliases, model)
      ? (aliases[model] ?? model)
      : (patterns.find(({ fits }) => fits(model))?.name ?? model);
}

/** Only the first `*` stands for any text. */
function wildcard(pattern: string): (model: string) => boolean {
  const star = pattern.indexOf('*');
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return (model) => model.length >= pattern.length - 1 && model.startsWith(before) && model.endsWith(after);
}
