import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** How an input may end: see README.md. */
export type Outcome = 'refused' | 'served' | 'cut' | 'smuggled' | 'poisoned' | 'malformed';

const piece = z.union([z.string(), z.strictObject({ repeat: z.string(), times: z.int() })]);

const row = z
  .strictObject({
    name: z.string(),
    section: z.string(),
    expect: z.array(z.enum(['refused', 'served', 'cut'])),
    ending: z.literal('reset').optional(),
    bytes: z.union([z.string(), z.array(piece)]),
  })
  .transform(({ bytes, ...rest }) => ({ ...rest, bytes: Buffer.from(textOf(bytes), 'latin1') }));

/** One hostile or odd message, the section that says what may become of it, and what that is. */
export type Input = z.output<typeof row>;

/** The inputs of one file of this folder. */
export function readCorpus(file: 'requests' | 'answers'): readonly Input[] {
  return z.array(row).parse(parse(readFileSync(path.join(import.meta.dirname, `${file}.yaml`), 'utf8')));
}

function textOf(bytes: string | readonly z.output<typeof piece>[]): string {
  if (typeof bytes === 'string') return bytes;
  return bytes.map((one) => (typeof one === 'string' ? one : one.repeat.repeat(one.times))).join('');
}
