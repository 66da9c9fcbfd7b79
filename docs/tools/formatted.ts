import { readFileSync } from 'node:fs';
import path from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import { packageRoot } from '../../conformance/runner/values/package-root.ts';

const options = JSON.parse(readFileSync(path.join(packageRoot(), '.oxfmtrc.json'), 'utf8')) as FormatConfig;

/** A text as `npm run format` would leave it in a file of that name. Throws where it cannot be read as what the name says. */
export async function formatted(file: string, text: string): Promise<string> {
  const { code, errors } = await format(file, text, options);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
