/** The lines of a case in its file, from `- id: <id without its row>` to the next case; empty when the file does not have it. */
export function excerptOf(source: string, id: string): string {
  const base = id.replace(/\[.*$/s, '').replace(/@[a-z]+$/, '');
  const lines = source.split('\n');
  const start = lines.findIndex((line) => /^ *- id: /.test(line) && line.replace(/^ *- id: /, '').trim() === base);
  const first = lines[start];
  if (first === undefined) return '';
  const indent = first.search(/\S/);
  const after = lines.slice(start + 1).findIndex((line) => line.trim() !== '' && line.search(/\S/) <= indent);
  return lines
    .slice(start, after === -1 ? undefined : start + 1 + after)
    .map((line) => line.slice(indent))
    .join('\n')
    .trimEnd();
}
