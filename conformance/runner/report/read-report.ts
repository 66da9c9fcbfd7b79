import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { UsageFault } from '../sut/session.ts';
import { readUserFile } from '../values/user-file.ts';
import { isObject } from '../values/json.ts';
import { VERDICTS } from '../verdict/verdict.ts';
import { reportFromEvents } from './report-from-events.ts';
import { reportSchema, type ReportFile } from './report-schema.ts';
import { EVENTS_FILE } from './reporters/events.ts';

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

/**
 * Reads a whole report, from its folder, its file, or the events of a run that was killed. Throws UsageFault when there is none, or one
 * of another version.
 */
export function readWholeReport(place: string): ReportFile {
  const file = reportPlace(place);
  const read = readUserFile(file);
  if ('problem' in read) throw new UsageFault(`${read.problem}; conform run writes reports`);
  if (file.endsWith('.ndjson')) return reportFromEvents(read.text, file);
  const value = jsonOf(read.text, file);
  const answer = reportSchema.safeParse(value);
  if (answer.success) return answer.data;
  const [issue] = answer.error.issues;
  const version = isObject(value) && typeof value['schema'] === 'number' ? value['schema'] : undefined;
  if (version !== undefined && version !== 1)
    throw new UsageFault(`${file}: is a report of version ${version}, and this suite reads version 1`);
  throw new UsageFault(`${file}: is no report of a run: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

/** The folder of a report, where the files lie that it names. */
export function reportFolder(place: string): string {
  return path.dirname(reportPlace(place));
}

function reportPlace(place: string): string {
  if (/\.(json|ndjson)$/.test(place)) return place;
  const report = path.join(place, 'report.json');
  // A run that was killed has only told its events.
  return !existsSync(report) && existsSync(path.join(place, EVENTS_FILE)) ? path.join(place, EVENTS_FILE) : report;
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageFault(`${file}: is no JSON; the run that wrote it may have been cut short`);
  }
}
