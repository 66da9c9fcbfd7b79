import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { z } from 'zod';
import type { Defect } from './defects.ts';
import type { DefectOutcome } from './run-defects.ts';

/** Outcomes in a file, one line of JSON each, so that a run of hours may be ended and taken up again, or be done in parts. */
export interface KeptOutcomes {
  /** What stands there of these defects, as long as their edits are the same and they were run alike. */
  readonly known: readonly DefectOutcome[];
  readonly add: (outcome: DefectOutcome) => void;
}

const line = z.strictObject({
  id: z.string(),
  edits: z.string(),
  how: z.string(),
  killedBy: z.array(z.string()),
  collateral: z.array(z.string()),
  red: z.number(),
  listed: z.number(),
  others: z.strictObject({ run: z.number(), of: z.number() }),
  durationMs: z.number(),
});

/**
 * `how` says in words how defects are run, which others are drawn and which cases may kill; what was run in another way is not known. Whether the
 * suite and the rest of the reference are as they were is not looked at: whoever changed them begins another file. What came to an error stands
 * in none. Throws Error for a line that is no outcome, and for a file that cannot be written.
 */
export function keepOutcomes(file: string, defects: readonly Defect[], how: string): KeptOutcomes {
  const byId = new Map(defects.map((defect) => [defect.id, defect]));
  const known = new Map<string, DefectOutcome>();
  for (const { id, edits, how: then, ...outcome } of readLines(file)) {
    const defect = byId.get(id);
    if (defect !== undefined && then === how && edits === editsOf(defect)) known.set(id, { defect, ...outcome });
  }
  return {
    known: [...known.values()],
    add: ({ defect, error, ...outcome }) => {
      if (error !== undefined) return;
      appendFileSync(file, `${JSON.stringify({ id: defect.id, edits: editsOf(defect), how, ...outcome })}\n`);
    },
  };
}

function readLines(file: string): readonly z.infer<typeof line>[] {
  // Whoever cannot write it hears so before hours have passed.
  appendFileSync(file, '');
  const bytes = readFileSync(file);
  // A run that was killed may have left half a line, which the next one would write on.
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) truncateSync(file, end);
  const texts = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
  return texts.map((text, index) => {
    const parsed = line.safeParse(asJson(text));
    if (parsed.success) return parsed.data;
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

function editsOf({ edits }: Defect): string {
  return createHash('sha256').update(JSON.stringify(edits)).digest('hex').slice(0, 12);
}
