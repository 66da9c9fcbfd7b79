import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Defect } from './defects.ts';
import type { DefectOutcome } from './run-defects.ts';

/** Outcomes in a file, one line of JSON each, so that a run of hours may be ended and taken up again, or be done in parts. */
export interface KeptOutcomes {
  /** What stands there of these defects, as long as their edits are the same and as many others were drawn. */
  readonly known: readonly DefectOutcome[];
  readonly add: (outcome: DefectOutcome) => void;
}

const line = z.strictObject({
  id: z.string(),
  edits: z.string(),
  drawn: z.union([z.number(), z.literal('all')]),
  killedBy: z.array(z.string()),
  collateral: z.array(z.string()),
  red: z.number(),
  listed: z.number(),
  others: z.strictObject({ run: z.number(), of: z.number() }),
  durationMs: z.number(),
});
type Line = z.infer<typeof line>;

/**
 * `others` is how many other cases are drawn for each defect. Whether the suite and the rest of the reference are as they were is not looked at:
 * whoever changed them begins another file. What came to an error stands in none. Throws Error for a line that is no outcome.
 */
export function keepOutcomes(file: string, defects: readonly Defect[], others: number): KeptOutcomes {
  const byId = new Map(defects.map((defect) => [defect.id, defect]));
  const drawn = others === Infinity ? 'all' : others;
  const known = new Map<string, DefectOutcome>();
  for (const { id, edits, drawn: of, ...outcome } of readLines(file)) {
    const defect = byId.get(id);
    if (defect !== undefined && of === drawn && edits === editsOf(defect)) known.set(id, { defect, ...outcome });
  }
  return {
    known: [...known.values()],
    add: ({ defect, error, ...outcome }) => {
      if (error !== undefined) return;
      const written: Line = { id: defect.id, edits: editsOf(defect), drawn, ...mutable(outcome) };
      appendFileSync(file, `${JSON.stringify(written)}\n`);
    },
  };
}

function readLines(file: string): readonly Line[] {
  if (!existsSync(file)) return [];
  const texts = readFileSync(file, 'utf8').split('\n');
  return texts.flatMap((text, index) => {
    if (text === '') return [];
    const parsed = line.safeParse(asJson(text));
    if (parsed.success) return [parsed.data];
    // A run that was killed may have left half a line.
    if (index === texts.length - 1) return [];
    throw new Error(`${file}:${index + 1}: no outcome of a defect: ${parsed.error.issues[0]?.message ?? ''}`);
  });
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mutable({ killedBy, collateral, others, ...rest }: Omit<DefectOutcome, 'defect' | 'error'>) {
  return { ...rest, killedBy: [...killedBy], collateral: [...collateral], others: { ...others } };
}

function editsOf({ edits }: Defect): string {
  return createHash('sha256').update(JSON.stringify(edits)).digest('hex').slice(0, 12);
}
