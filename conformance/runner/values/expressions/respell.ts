/** New names for those of an expression, as the vocabulary writes them: `request.headers`, `cidr()`, `.containsIP()`. */
export type Spelling = ReadonlyMap<string, string>;

/** Texts and comments, which stay as they are, or a name with its members and the bracket of a call. */
const TOKEN =
  /([bBrR]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*')|\/\/[^\n]*)|(\.\s*)?([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)(\s*\()?/g;

/** The expression in other words. What stands in texts and comments is nobody's name. */
export function respell(expression: string, spelling: Spelling): string {
  return expression.replaceAll(TOKEN, (token: string, ...[kept, dot, chain, call]: readonly (string | undefined)[]) =>
    kept === undefined ? respelt({ dot: dot ?? '', chain: chain ?? '', call: call ?? '' }, spelling) : token,
  );
}

/** A name with what stands before and behind it. */
interface Written {
  readonly dot: string;
  readonly chain: string;
  readonly call: string;
}

function respelt({ dot, chain, call }: Written, spelling: Spelling): string {
  const parts = chain.split('.').map((part) => part.trim());
  const called = call === '' ? undefined : parts.pop();
  const variable = dot === '' ? variableIn(parts, spelling) : parts;
  if (called === undefined) return dot + variable.join('.');
  const method = dot !== '' || variable.length > 0;
  return dot + [...variable, calledAs(called, method, spelling)].join('.') + call;
}

/** The longest beginning that has another name gets it. */
function variableIn(parts: readonly string[], spelling: Spelling): readonly string[] {
  for (let length = parts.length; length > 0; length--) {
    const other = spelling.get(parts.slice(0, length).join('.'));
    if (other !== undefined) return [other, ...parts.slice(length)];
  }
  return parts;
}

function calledAs(name: string, method: boolean, spelling: Spelling): string {
  const other = spelling.get(method ? `.${name}()` : `${name}()`);
  return other?.replace(/^\./, '').replace(/\(\)$/, '') ?? name;
}
