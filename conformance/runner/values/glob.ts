/** A pattern with `*` (any characters) and `?` (one character) as an anchored expression; the rest is literal. */
export function globExpression(pattern: string): RegExp {
  const literal = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
}
