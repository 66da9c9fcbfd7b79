import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readFeatures } from '../clauses/features.ts';
import { implementationSchema } from '../sut/manifest-schema.ts';
import { VERDICTS, type Verdict } from '../verdict/verdict.ts';
import type { CaseEntry, ReportFile } from './report-schema.ts';

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const counts = z.partialRecord(z.enum(VERDICTS), z.int().min(1));

/** result.yaml, version 1: what an implementation may publish. `schemas/result.schema.json` is generated from this. */
export const conformanceResultSchema = z.strictObject({
  schema: z.literal(1).meta({ description: 'Version of this format.' }),
  implementation: implementationSchema.meta({ description: 'Who was judged.' }),
  suite: z.strictObject({ name: z.string(), version: z.string() }).meta({ description: 'What judged it.' }),
  conformant: z
    .boolean()
    .meta({ description: 'Core is conformant, and so is every other profile that has judged cases.' }),
  because: z.array(z.string()).optional().meta({ description: 'Why nothing in this run can count as conformant.' }),
  profiles: z
    .record(
      z.string(),
      z.strictObject({
        conformant: z.boolean().meta({ description: 'Required cases passed, and none came out otherwise.' }),
        must: counts.meta({ description: 'Required cases by verdict.' }),
        should: counts.meta({ description: 'Recommended cases by verdict.' }),
        without: z.array(z.string()).optional().meta({ description: 'Features that it does not declare.' }),
      }),
    )
    .meta({ description: 'Core first, then a profile for each folder of cases.' }),
  openPoints: digest.meta({
    description: 'Fingerprint of the answers to what the documents leave open; long numbers in them do not count.',
  }),
  report: z
    .strictObject({ cases: z.int().min(0), digest })
    .meta({ description: 'The report.json that this was made from.' }),
});

export type ConformanceResult = z.infer<typeof conformanceResultSchema>;

/** The published file that holds the schema, relative to the package. */
export const RESULT_SCHEMA_FILE = 'schemas/result.schema.json';

/** The JSON Schema of result.yaml as it is published. */
export function resultSchemaText(): string {
  return `${JSON.stringify({ $id: 'urn:proxy-conformance:result:v1', ...z.toJSONSchema(conformanceResultSchema) }, null, 2)}\n`;
}

/** What a report shows of its implementation. Only a whole run with nothing unstable can show that it conforms. */
export function conformanceResult(report: ReportFile): ConformanceResult {
  const because = whyNothingCounts(report);
  const core = new Set(readFeatures().flatMap((feature) => (feature.core === true ? [feature.id] : [])));
  const groups = Map.groupBy(report.cases, (entry) => profileOf(entry, core));
  const names = [...groups.keys()].toSorted((one, other) => order(one).localeCompare(order(other)));
  const profiles = Object.fromEntries(
    names.map((name) => [
      name,
      profileResult(groups.get(name) ?? [], { isCore: name === CORE, counts: because.length === 0 }),
    ]),
  );
  const judged = Object.values(profiles).filter(({ must }) =>
    Object.keys(must).some((verdict) => verdict !== 'unsupported'),
  );
  return {
    schema: 1,
    implementation: report.implementation,
    suite: report.suite,
    conformant: profiles[CORE]?.conformant === true && judged.every(({ conformant }) => conformant),
    ...(because.length === 0 ? {} : { because: [...because] }),
    profiles,
    openPoints: openPointFingerprint(report.cases),
    report: { cases: report.cases.length, digest: sha256(reportText(report)) },
  };
}

/** The text of report.json. */
export function reportText(report: ReportFile): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

const CORE = 'core';

// Core comes before all others.
function order(profile: string): string {
  return profile === CORE ? '' : profile;
}

/** The profile that a case belongs to: core, unless it needs more than every implementation has; then the folder that it lies in. */
export function profileOf({ needs, file }: Pick<CaseEntry, 'needs' | 'file'>, core: ReadonlySet<string>): string {
  if (needs.every((need) => core.has(need))) return CORE;
  return /(?:^|\/)cases\/([^/]+)\//.exec(file)?.[1] ?? 'other';
}

function whyNothingCounts({ selection, attended, cutShort, summary, crashes }: ReportFile): readonly string[] {
  return [
    ...(selection?.whole === true && selection.shard === undefined ? [] : ['only a part of the suite was run']),
    ...(attended === true ? ['somebody attended the run, so nothing had a limit'] : []),
    ...(cutShort === undefined ? [] : [`the run was cut short: ${cutShort}`]),
    ...(summary.unstable === 0 ? [] : [`${summary.unstable} cases came out now this way, now that way`]),
    ...(crashes === 0 ? [] : [`the implementation crashed ${crashes} time(s)`]),
  ];
}

/** A required case with one of these verdicts does not stand against conformance. */
const HARMLESS: ReadonlySet<Verdict> = new Set(['pass', 'observe', 'unsupported']);

function profileResult(
  cases: readonly CaseEntry[],
  { isCore, counts: mayCount }: { readonly isCore: boolean; readonly counts: boolean },
): ConformanceResult['profiles'][string] {
  const must = cases.filter(({ level }) => level === 'must');
  const isBad = ({ verdict }: CaseEntry): boolean => !HARMLESS.has(verdict) || (isCore && verdict === 'unsupported');
  const without = new Set(cases.flatMap(({ verdict, needs }) => (verdict === 'unsupported' ? needs : [])));
  const declared = new Set(cases.flatMap(({ verdict, needs }) => (verdict === 'unsupported' ? [] : needs)));
  const missing = [...without].filter((need) => !declared.has(need)).toSorted();
  return {
    conformant: mayCount && must.some(({ verdict }) => verdict === 'pass') && !must.some(isBad),
    must: countsOf(must),
    should: countsOf(cases.filter(({ level }) => level === 'should')),
    ...(missing.length === 0 ? {} : { without: missing }),
  };
}

function countsOf(cases: readonly CaseEntry[]): Partial<Record<Verdict, number>> {
  return Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, cases.filter((entry) => entry.verdict === verdict).length] as const).filter(
      ([, count]) => count > 0,
    ),
  );
}

// Ports, identifiers and times are other ones in every run, and answer nothing.
const PASSING = /\d{3,}|[0-9a-f]{8,}/g;

function openPointFingerprint(cases: readonly CaseEntry[]): string {
  const answers = cases.flatMap(({ id, observed = [] }) =>
    observed.map(({ what, actual }) => `${id} ${what} ${actual.replaceAll(PASSING, '#')}`),
  );
  return sha256(answers.toSorted().join('\n'));
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
