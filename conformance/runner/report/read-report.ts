import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { UsageFault } from '../sut/session.ts';
import { VERDICTS } from '../verdict/verdict.ts';

// Of a report of any version: what is needed to run its cases again, or to list them as known.
const writtenSchema = z.looseObject({
  cases: z.array(z.looseObject({ id: z.string(), verdict: z.enum(VERDICTS), reason: z.string().optional() })),
});

export type WrittenReport = z.infer<typeof writtenSchema>;

/** Reads report.json of an earlier run. Throws UsageFault when there is none, or something else. */
export async function readReport(folder: string): Promise<WrittenReport> {
  const file = path.join(folder, 'report.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UsageFault(`${file}: there is no report of an earlier run; conform run writes one`);
  });
  const answer = writtenSchema.safeParse(jsonOf(text, file));
  if (answer.success) return answer.data;
  throw new UsageFault(`${file}: ${answer.error.issues[0]?.message ?? 'is no report'}`);
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageFault(`${file}: is no JSON; the run that wrote it may have been cut short`);
  }
}
