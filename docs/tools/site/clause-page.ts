import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import type { Clause } from '../../../conformance/runner/clauses/register.ts';
import type { Citation } from './citing-code.ts';
import { drawSequence, escapeText, type Seen } from './sequence-picture.ts';
import type { ShownCases } from './shown-cases.ts';

/** What was seen of a case when the site was built. */
export interface Recording {
  readonly verdict: string;
  readonly timeline: readonly Seen[];
  /** What each trace stream said, by the name of its step. */
  readonly traces: Readonly<Record<string, unknown>>;
}

/** Everything that a page of one clause tells. */
export interface ClauseMaterial {
  readonly clause: Clause;
  readonly areaTitle: string;
  readonly shown: ShownCases;
  /** Ids of all cases about the clause, by base id. */
  readonly others: readonly string[];
  readonly recording: (caseId: string) => Recording | undefined;
  readonly source: (one: ConcreteCase) => string;
  readonly citations: readonly Citation[];
  readonly defects: readonly { readonly id: string; readonly text: string }[];
  readonly decisions: readonly { readonly name: string; readonly title: string }[];
  readonly openPoints: readonly { readonly id: string; readonly text: string }[];
}

/** The page of a clause, as Markdown: the statement, a case of each polarity, the code that decides it, what it catches. */
export function clausePage(material: ClauseMaterial): string {
  const { clause, areaTitle, shown, citations, defects, decisions, openPoints, others } = material;
  const { source } = clause;
  return [
    `# ${clause.id}`,
    `> ${escapeText(clause.statement)}`,
    `**${clause.level}** in ${escapeText(areaTitle)} · document ${source.document}, line ${source.line}, ${escapeText(source.section)}`,
    `Wrong would be: ${escapeText(clause.negative)}`,
    ...section(
      'Left open',
      openPoints.map(({ id, text }) => `- ${id}: ${escapeText(text)}`),
    ),
    ...showCase('What must happen does', shown.positive, material),
    ...(shown.negative === shown.positive && shown.negative !== undefined
      ? [`## What must not happen does not`, 'The same case shows it.']
      : showCase('What must not happen does not', shown.negative, material)),
    ...section(
      'The code that decides it',
      citations.map(({ file, line, text }) => `- \`${file}:${line}\` ${code(text)}`),
    ),
    ...section(
      'Decisions',
      decisions.map(({ name, title }) => `- [${escapeText(title)}](../docs/decisions/${name}.md)`),
    ),
    ...section(
      'Defects its cases catch',
      defects.map(({ id, text }) => `- \`${id}\`: ${escapeText(text)}`),
    ),
    ...section(
      'All cases about it',
      others.map((id) => `- \`${id}\``),
    ),
    `Try it: \`npx conform run --clause ${clause.id}\``,
  ].join('\n\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, lines.join('\n')];
}

function code(text: string): string {
  return text.includes('`') ? escapeText(text) : `\`${text}\``;
}

function showCase(title: string, one: ConcreteCase | undefined, material: ClauseMaterial): readonly string[] {
  if (one === undefined) return [`## ${title}`, 'No case shows it.'];
  const seen = material.recording(one.id);
  const picture = seen === undefined ? undefined : drawSequence(seen.timeline, one.title);
  return [
    `## ${title}`,
    `**${escapeText(one.title)}** (\`${one.id}\`)`,
    ...(picture === undefined ? [] : [picture]),
    `<details><summary>The case, as it stands in ${one.file}</summary>\n\n${fence(material.source(one))}\n\n</details>`,
    ...(seen === undefined ? [] : traces(seen)),
  ];
}

function traces({ traces: all }: Recording): readonly string[] {
  return Object.entries(all).map(
    ([name, seen]) =>
      `<details><summary>What the trace stream of step ${escapeText(name)} said</summary>\n\n${fence(shorten(JSON.stringify(seen, null, 2)))}\n\n</details>`,
  );
}

const MOST_TRACE = 4000;

function shorten(text: string): string {
  return text.length > MOST_TRACE ? `${text.slice(0, MOST_TRACE)}\n…` : text;
}

/** Without colours: a thousand pages with a thousand coloured words each take gigabytes to build. */
function fence(text: string): string {
  return `\`\`\`\`txt\n${text.trimEnd()}\n\`\`\`\``;
}
