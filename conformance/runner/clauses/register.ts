import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { remembered } from '../values/remembered.ts';
import type { Level } from '../verdict/verdict.ts';
import { featureSchema, type Feature } from './features.ts';

const clauseId = z.string().regex(/^[A-Z0-9]+-\d{3}$/);

const clauseSchema = z.strictObject({
  id: clauseId,
  level: z.enum(['MUST', 'DEFAULT', 'MAY', 'UNSPECIFIED']),
  statement: z.string().min(1),
  source: z.strictObject({ document: z.enum(['TRC', 'CFG']), section: z.string(), line: z.int() }),
  observable: z.array(z.string()),
  peers: z.array(z.string()),
  negative: z.string(),
});

const areaSchema = z.strictObject({
  area: z.string(),
  title: z.string(),
  status: z.enum(['done', 'later']),
  cases: z.string(),
});

const openPointSchema = z.looseObject({
  id: z.string().regex(/^U-\d{3}$/),
  where: z.string(),
  question: z.string(),
  suite: z.string(),
  clauses: z.array(clauseId).optional(),
});
const contradictionSchema = z.looseObject({
  id: z.string().regex(/^A-\d{3}$/),
  where: z.string(),
  clauses: z.array(clauseId).optional(),
});
const sourceSchema = z.looseObject({ id: z.string(), file: z.string(), sha256: z.string().length(64) });

/** Why a clause of a finished area may lack a case of one polarity; the list is closed. */
export const REASONS = [
  'cluster-only',
  'not-observable',
  'client-side',
  'structure-only',
  'later-issue',
  'polarity-empty',
  'contradiction',
] as const;

const reasonSchema = z.strictObject({
  clause: clauseId,
  polarity: z.enum(['positive', 'negative', 'both']),
  reason: z.enum(REASONS),
  note: z.string().optional(),
});

const constraintSchema = z
  .strictObject({
    id: z.string().regex(/^X-\d{3}$/),
    rule: z.string().min(1),
    level: z.enum([
      'admission',
      'cross-resource',
      'applicability',
      'runtime',
      'semantics',
      'environment',
      'record shape',
      'deprecation',
      'translation',
      'inferred',
    ]),
    cases: z.array(z.string()).min(1).optional(),
    reason: z.enum(REASONS).optional(),
    note: z.string().optional(),
  })
  .refine(({ cases, reason }) => (cases === undefined) !== (reason === undefined), 'either cases or a reason');

export type Clause = z.infer<typeof clauseSchema> & { readonly area: string };
export type Area = z.infer<typeof areaSchema>;
export type Reason = z.infer<typeof reasonSchema>;
export type Constraint = z.infer<typeof constraintSchema>;
export type OpenPoint = z.infer<typeof openPointSchema>;
export type Contradiction = z.infer<typeof contradictionSchema>;

/** Everything under `docs/spec`. */
export interface Register {
  readonly clauses: ReadonlyMap<string, Clause>;
  readonly areas: readonly Area[];
  readonly openPoints: readonly OpenPoint[];
  readonly contradictions: readonly Contradiction[];
  readonly reasons: readonly Reason[];
  /** Rules over several fields or objects, X-001 to X-123. */
  readonly constraints: readonly Constraint[];
  readonly features: readonly Feature[];
  readonly sources: readonly z.infer<typeof sourceSchema>[];
  /** Every id ever given. */
  readonly locked: readonly string[];
}

/** Reads the register. Throws an Error that names the file when one is missing or has another shape. */
export async function loadRegister(folder: string): Promise<Register> {
  const list = <T extends z.ZodType>(name: string, entry: T): Promise<z.infer<T>[]> =>
    readYaml(path.join(folder, name), z.array(entry));
  const [clauses, areas, openPoints, contradictions, reasons, constraints, features, sources, locked] =
    await Promise.all([
      loadClauses(path.join(folder, 'clauses')),
      list('areas.yaml', areaSchema),
      list('open-points.yaml', openPointSchema),
      list('contradictions.yaml', contradictionSchema),
      readReasons(path.join(folder, 'reasons.yaml')),
      list('constraints.yaml', constraintSchema),
      list('features.yaml', featureSchema),
      list('sources.yaml', sourceSchema),
      readFile(path.join(folder, 'ids.lock'), 'utf8'),
    ]);
  return {
    clauses,
    areas,
    openPoints,
    contradictions,
    reasons,
    constraints,
    features,
    sources,
    locked: locked.split('\n').filter((line) => line !== ''),
  };
}

const LEVELS: Readonly<Record<Clause['level'], Level>> = {
  MUST: 'must',
  DEFAULT: 'must',
  MAY: 'should',
  UNSPECIFIED: 'observe',
};
const WEAKEST_FIRST: readonly Level[] = ['observe', 'should', 'must'];

/**
 * The level of a case is the weakest of its clauses: a case cannot gate what the documents leave open.
 * Undefined when no clause is known.
 */
export function levelOf(
  clauses: ReadonlyMap<string, Pick<Clause, 'level'>>,
  citations: readonly { readonly id: string }[],
): Level | undefined {
  const levels = citations.flatMap(({ id }) => {
    const clause = clauses.get(id);
    return clause === undefined ? [] : [LEVELS[clause.level]];
  });
  return WEAKEST_FIRST.find((level) => levels.includes(level));
}

/** Whether finished areas need cases for the clause. */
export function isGating({ level }: Clause): boolean {
  return level === 'MUST' || level === 'DEFAULT';
}

async function loadClauses(folder: string): Promise<ReadonlyMap<string, Clause>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  const fileSchema = z.strictObject({ area: z.string(), clauses: z.array(clauseSchema) });
  const areas = await Promise.all(files.map((name) => readYaml(path.join(folder, name), fileSchema)));
  return new Map(areas.flatMap(({ area, clauses }) => clauses.map((clause) => [clause.id, { ...clause, area }])));
}

// No file means that no clause is excused.
async function readReasons(file: string): Promise<Reason[]> {
  return existsSync(file) ? readYaml(file, z.array(reasonSchema)) : [];
}

async function readYaml<T extends z.ZodType>(file: string, schema: T): Promise<z.infer<T>> {
  return remembered(`register ${path.basename(file)}`, await readFile(file, 'utf8'), (text) => {
    const content: unknown = parse(text);
    const answer = schema.safeParse(content ?? []);
    if (answer.success) return answer.data;
    const [issue] = answer.error.issues;
    throw new Error(`${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`);
  });
}
