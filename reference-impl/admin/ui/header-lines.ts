export type Header = readonly [name: string, value: string];

/** The fields of a text with one `Name: value` in each line, or which line is none. */
export function readHeaderLines(text: string): { readonly headers: readonly Header[] } | { readonly wrong: string } {
  const headers: Header[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (colon <= 0) return { wrong: `line ${index + 1} of the headers is no “Name: value”: ${line.trim()}` };
    headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
  }
  return { headers };
}
