import { z } from 'zod';
import { WORKERS_BY } from '../schedule/workers.ts';
import { ROLES } from '../sut/instance.ts';
import { implementationSchema } from '../sut/manifest-schema.ts';
import { VERDICTS } from '../verdict/verdict.ts';

const count = z.int().min(0);
const verdict = z.enum(VERDICTS);

const check = z.strictObject({
  what: z.string(),
  line: z.int().optional(),
  expected: z.string(),
  actual: z.string(),
});

/** A text, or where it is too long the file below the folder of the report that holds it. */
const text = z.union([z.string(), z.strictObject({ file: z.string(), bytes: count })]);
const message = z.strictObject({ head: z.string(), body: text.optional(), base64: text.optional(), bytes: count });

/** What it takes to repair an implementation without running the case again. */
const evidence = z.strictObject({
  exchanges: z.array(
    z.strictObject({ step: z.string(), request: message, answer: message, failure: z.string().optional() }),
  ),
  /** Peer to what arrived there. */
  peers: z.record(z.string(), z.array(z.unknown())),
  traces: z.record(z.string(), z.unknown()),
  /** Files below the folder of the report with the configuration as it was delivered; several when the case changed it. */
  configurations: z.array(z.string()),
  timeline: z.array(z.strictObject({ atMs: z.number(), who: z.string(), what: z.string() })),
  /** What the implementation logged meanwhile. */
  logs: z.array(z.string()),
  /** The steps as curl commands, or why there is none. */
  outside: z.array(z.string()),
});

/** What is known when a run begins. */
export const runStartShape = {
  suite: z.strictObject({ name: z.string(), version: z.string() }),
  implementation: implementationSchema,
  /**
   * What the user chose. `whole`: every case of the suite once at least; a part of it shows nothing about the rest. `division`: the same text in
   * all shards of a run.
   */
  selection: z
    .strictObject({ whole: z.boolean(), shard: z.string().optional(), division: z.string().optional() })
    .optional(),
  /** Somebody attended the run (`--wait-for-attach`), so nothing had a limit. */
  attended: z.literal(true).optional(),
  seed: count,
  /** Cases that ran earlier than the seed says, because they are known to be slow on this machine. */
  slowFirst: count,
};

/** What is known when a run has ended, whichever way. */
export const runEndShape = {
  durationMs: z.number(),
  /** From the start of the command to the first verdict. */
  firstVerdictMs: z.number().optional(),
  exitCode: z.int(),
  /** Set when the run ended before its last case: the report is partial. */
  cutShort: z.string().optional(),
  /** Entries of the list of known failures that no longer hold, each with its place; they make a run red. */
  knownProblems: z.array(z.string()).optional(),
  crashes: count,
  /** Cases at the same time: at most, at the worst moment, and who decided (`--workers`, `tune.parallel`, or what fits the machine). */
  workers: z.strictObject({ most: z.int().min(1), least: z.int().min(1), by: z.enum(WORKERS_BY) }),
  /** What a busy machine did to the limits of the run. */
  time: z.strictObject({
    /** How much longer limits were at the worst moment; 1 on a quiet machine. */
    stretch: z.number().min(1),
    /** Waits that ended well after their limit as it is written, because it was stretched. */
    overtimes: count,
    /** Milliseconds lost: this process was late, the implementation waited for a CPU, the host took CPU time, heartbeats were late. */
    lostMs: z.strictObject({ runner: count, programs: count, machine: count, heartbeat: count }),
    /** Milliseconds in which somebody waited, and how many of them counted. */
    waitedMs: count,
    countedMs: count,
    /** Share of the run in which something on the machine waited for a CPU. */
    pressure: z.number().min(0).max(1).optional(),
  }),
  summary: z.record(verdict, count),
  /** What the clauses of the red cases say. */
  clauses: z.record(z.string(), z.strictObject({ statement: z.string(), source: z.string() })),
};

/** A case and what became of it. */
export const caseEntrySchema = z.strictObject({
  id: z.string(),
  suite: z.string(),
  file: z.string(),
  /** Where it stands in its file, of a case that did not go well. */
  line: z.int().optional(),
  title: z.string(),
  verdict,
  reason: z.string().optional(),
  fault: z.enum(['case', 'implementation', 'harness']).optional(),
  level: z.enum(['must', 'should', 'observe']),
  layer: z.enum(['op', 'wire', 'trace', 'property', 'cluster']),
  clauses: z.array(z.strictObject({ id: z.string(), as: z.enum(['positive', 'negative']) })),
  kills: z.array(z.string()),
  needs: z.array(z.string()),
  /** Cases that it stands on: while one of them is red, it accuses nobody. */
  requires: z.array(z.string()).optional(),
  durationMs: z.number(),
  /** How much longer the limits of the case were than written; absent on a quiet machine. */
  stretch: z.number().optional(),
  /** Steps that went on after their limit as it is written. */
  overtimes: z.array(z.string()).optional(),
  /** What came of it when it was repeated alone, in order. */
  attempts: z
    .array(
      z.strictObject({
        verdict,
        reason: z.string().optional(),
        durationMs: z.number(),
        stretch: z.number().optional(),
        failures: z.array(check).optional(),
      }),
    )
    .optional(),
  round: z.int().optional(),
  /** Which instance of the implementation it ran on, when that is not the one that most cases share. */
  instance: z.enum(ROLES).optional(),
  /** Which revisions of the configuration answered the canary after a red step; `again`: an older one did, so it was asked again. */
  revisions: z
    .array(z.strictObject({ step: z.string(), configured: count, answered: z.array(count), again: z.boolean() }))
    .optional(),
  failures: z.array(check).optional(),
  evidence: evidence.optional(),
  /** Answers to open points: checks that were only recorded. */
  observed: z.array(check).optional(),
});

/** report.json, version 1. `schemas/report.schema.json` is generated from this. */
export const reportSchema = z.strictObject({
  schema: z.literal(1),
  ...runStartShape,
  ...runEndShape,
  cases: z.array(caseEntrySchema),
});

export type CaseEntry = z.infer<typeof caseEntrySchema>;
export type ReportFile = z.infer<typeof reportSchema>;

/** The published file that holds the schema, relative to the package. */
export const REPORT_SCHEMA_FILE = 'schemas/report.schema.json';

/** The JSON Schema of report.json as it is published. */
export function reportSchemaText(): string {
  return `${JSON.stringify({ $id: 'urn:proxy-conformance:report:v1', ...z.toJSONSchema(reportSchema) }, null, 2)}\n`;
}
