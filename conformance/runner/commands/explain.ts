import type { Command } from 'commander';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { areaOf, EVERYTHING, matchesId } from '../case/select.ts';
import { decisionsAbout } from '../clauses/decisions.ts';
import { featureIds, readFeatures, type Feature } from '../clauses/features.ts';
import type { Clause } from '../clauses/register.ts';
import { describeUnmatched, loadSuite } from '../load-suite.ts';
import { nearest } from '../values/nearest.ts';
import { isList } from '../values/json.ts';
import { print, readFrame, usageError, type SuiteFrame } from './suite.ts';

/** `conform explain CLAUSE|FEATURE|CASE`: a clause or a feature with everything that refers to it, or a case with its clauses. */
export function addExplainCommand(program: Command): void {
  program
    .command('explain')
    .description('explain a clause, a feature or a case')
    .argument('<id>', 'clause such as MERGE-010, feature such as core.http, or case id')
    .action(explain);
}

async function explain(asked: string): Promise<void> {
  const frame = await readFrame();
  const isClause = /^[a-z0-9]+-\d+$/i.test(asked);
  const id = isClause ? asked.toUpperCase() : asked;
  const clause = frame.register.clauses.get(id);
  if (clause !== undefined) {
    const { cases } = await loadSuite({ selection: { ...EVERYTHING, clauses: [id] } });
    return print(explainClause(clause, { ...frame, cases }));
  }
  if (isClause) return usageError(unknownClause(id, frame));
  const feature = readFeatures().find((one) => one.id.toLowerCase() === asked.toLowerCase());
  if (feature !== undefined) {
    const { cases } = await loadSuite({ selection: { ...EVERYTHING, features: [feature.id] } });
    return print(explainFeature(feature, cases));
  }
  const { read } = await loadSuite({ selection: { ...EVERYTHING, patterns: [id] } });
  const cases = read.filter((given) => matchesId(id, given));
  const [first] = cases;
  if (first === undefined) return usageError(await nothingCalled(id));
  print(explainCase(first, cases.length, frame));
}

/** A misspelt feature is told before a case with a similar name. */
async function nothingCalled(id: string): Promise<string> {
  const hint = nearest(id, featureIds());
  return hint === undefined ? describeUnmatched([id]) : `no case matches ${id}; did you mean the feature ${hint}?`;
}

/** What an implementation that declares it can do, and which cases need it. */
export function explainFeature({ id, text, core }: Feature, cases: readonly ConcreteCase[]): string {
  const byFile = Map.groupBy(cases, ({ file }) => file);
  const clauses = new Set(cases.flatMap((one) => one.clauses.map((clause) => clause.id)));
  return [
    `${id}  feature${core === true ? ', core: cannot be no in a conformant report' : ''}`,
    `  ${text}`,
    `  declared    features: { ${id}: yes } in implementation.yaml, or in the adapter's answer to hello`,
    `  needed      by ${cases.length} cases, which cite ${clauses.size} clauses`,
    ...[...byFile].map(([file, group]) => `  cases       ${String(group.length).padStart(4)}  ${file}`),
    `  run them    conform run --feature ${id}`,
  ].join('\n');
}

function unknownClause(id: string, { register }: SuiteFrame): string {
  const hint = nearest(id, [...register.clauses.keys()]);
  return `the register has no clause ${id}${hint === undefined ? '' : `, did you mean ${hint}?`}`;
}

/** Statement, source, what refers to it, and the cases by polarity. */
export function explainClause(clause: Clause, suite: SuiteFrame & { readonly cases: readonly ConcreteCase[] }): string {
  const { id, level, statement, source, observable, peers, negative, area } = clause;
  const { register } = suite;
  const title = register.areas.find((entry) => entry.area === area)?.title ?? area;
  const points = [...register.openPoints, ...register.contradictions].filter(
    ({ clauses }) => isList(clauses) && clauses.includes(id),
  );
  const reasons = register.reasons.filter((reason) => reason.clause === id);
  return [
    `${id}  ${level}  ${title}`,
    `  ${statement}`,
    `  source      ${source.document} line ${source.line}, ${source.section}`,
    `  observable  ${observable.join(', ')}${peers.length === 0 ? '' : `; peers ${peers.join(', ')}`}`,
    `  wrong       ${negative}`,
    ...points.map((point) => `  open        ${point.id}  ${String(point['question'] ?? point['problem'])}`),
    ...decisionsAbout(suite.decisions, [id]).map(
      ({ name, title: page }) => `  decision    docs/decisions/${name}.md  ${page}`,
    ),
    ...reasons.map(
      ({ polarity, reason, note }) => `  excused     ${polarity}: ${reason}${note === undefined ? '' : ` (${note})`}`,
    ),
    ...casesOf(id, 'positive', suite.cases),
    ...casesOf(id, 'negative', suite.cases),
    ...(suite.defects ?? [])
      .filter(({ clauses }) => clauses.includes(id))
      .map((defect) => `  defect      ${defect.id}  ${defect.file}`),
  ].join('\n');
}

function casesOf(clause: string, polarity: 'positive' | 'negative', cases: readonly ConcreteCase[]): readonly string[] {
  const citing = cases.filter(({ clauses }) => clauses.some(({ id, as }) => id === clause && as === polarity));
  const byBase = Map.groupBy(citing, ({ baseId }) => baseId);
  if (byBase.size === 0) return [`  ${polarity}    no case`];
  return [...byBase].map(
    ([baseId, group]) =>
      `  ${polarity}    ${baseId}${group.length === 1 ? '' : ` (${group.length})`}  ${group[0]?.level ?? ''}, ${group[0]?.file ?? ''}`,
  );
}

/** Title, place, clauses with their statements, and the defects it is meant to catch. */
export function explainCase(given: ConcreteCase, count: number, { register, defects, decisions }: SuiteFrame): string {
  const { baseId, title, file, level, layer, isolation, needs, assumes, kills, clauses, at, position } = given;
  const points = register.openPoints.filter(({ id }) => assumes.includes(id));
  return [
    `${baseId}${count === 1 ? '' : ` (${count} concrete cases)`}`,
    `  ${title}`,
    `  file        ${file}:${position(at).line}`,
    `  level       ${level}, layer ${layer}, isolation ${isolation}`,
    ...(needs.length === 0 ? [] : [`  needs       ${needs.join(', ')}`]),
    ...clauses.map(
      ({ id, as }) => `  ${as}    ${id}  ${register.clauses.get(id)?.statement ?? `unknown in area ${areaOf(id)}`}`,
    ),
    ...points.map(({ id, question }) => `  open        ${id}  ${question}`),
    ...decisionsAbout(decisions, [...clauses.map((clause) => clause.id), ...assumes]).map(
      ({ name, title: page }) => `  decision    docs/decisions/${name}.md  ${page}`,
    ),
    ...kills.map(
      (id) =>
        `  kills       ${id}${defects === undefined || defects.some((defect) => defect.id === id) ? '' : '  (not in the gallery)'}`,
    ),
  ].join('\n');
}
