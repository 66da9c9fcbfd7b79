import path from 'node:path';
import { z } from 'zod';
import { UsageFault } from '../sut/session.ts';
import { readUserFile } from '../values/user-file.ts';
import { VERDICTS } from '../verdict/verdict.ts';

// Of a report of any version: what is needed to run its cases again, or to list them as known.
const writtenSchema = z.looseObject({
  cases: z.array(
    z.looseObject({
      id: z.string(),
      verdict: z.enum(VERDICTS),
      reason: z.string().optional(),
      fault: z.enum(['case', 'implementation', 'harness']).optional(),
    }),
  ),
});

export type WrittenReport = z.infer<typeof writtenSchema>;

/** Reads the report of an earlier run, from its folder or its file. Throws UsageFault when there is none, or something else. */
export function readReport(place: string): WrittenReport {
  const file = place.endsWith('.json') ? place : path.join(place, 'report.json');
  const read = readUserFile(file);
  if ('problem' in read) throw new UsageFault(`${read.problem}; conform run writes reports`);
  const answer = writtenSchema.safeParse(jsonOf(read.text, file));
  if (answer.success) return answer.data;
  const [issue] = answer.error.issues;
  throw new UsageFault(`${file}: is no report of a run: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageFault(`${file}: is no JSON; the run that wrote it may have been cut short`);
  }
}
