// `npm run site`: the book as a site. Runs the cases it shows against the reference, writes its pages to .cache/site and builds them with
// VitePress. `--pages` stops before the build; patterns of clause ids such as MCP-* make a small book.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import { readFrame } from '../../../conformance/runner/commands/suite.ts';
import { decisionsAbout } from '../../../conformance/runner/clauses/decisions.ts';
import { readGallery } from '../../../conformance/runner/gallery/defects.ts';
import { loadRunnable } from '../../../conformance/runner/load-suite.ts';
import { readWholeReport } from '../../../conformance/runner/report/read-report.ts';
import { isList } from '../../../conformance/runner/values/json.ts';
import { bookPages } from './book-pages.ts';
import { findCitations } from './citing-code.ts';
import { clausePage, type Recording } from './clause-page.ts';
import { escapeText } from './sequence-picture.ts';
import { PAGES } from './sidebar.ts';
import { chooseCases, type ShownCases } from './shown-cases.ts';

const RUN = '.cache/site-run';

const [flags, patterns] = partition(process.argv.slice(2), (word) => word.startsWith('--'));
const frame = await readFrame();
const { cases } = await loadRunnable({});
const clauses = [...frame.register.clauses.values()].filter(({ id }) => isWanted(id));
if (clauses.length === 0) throw new Error(`no clause matches ${patterns.join(' ')}`);
const shown = chooseCases(cases);
const recordings = record(clauses.flatMap(({ id }) => casesOf(shown.get(id))));
const pages = { ...bookPages(), ...(await clausePages()) };

rmSync(PAGES, { recursive: true, force: true });
for (const [file, text] of Object.entries(pages)) {
  const place = path.join(PAGES, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, text);
}
console.log(`${Object.keys(pages).length} pages in ${PAGES}, ${recordings.size} cases recorded`);
if (!flags.includes('--pages')) {
  // More to load than all the rest.
  const { build } = await import('vitepress');
  await build('docs/site');
  console.log('the book is in docs/site/.vitepress/dist');
}

async function clausePages(): Promise<Readonly<Record<string, string>>> {
  const citations = findCitations();
  const { defects } = await readGallery('conformance/gallery', 'conformance/gallery');
  const { register, decisions } = frame;
  const titles = new Map(register.areas.map(({ area, title }) => [area, title]));
  const single = clauses.map((clause) => {
    const { id, area } = clause;
    const points = [...register.openPoints, ...register.contradictions].filter(
      (point) => isList(point.clauses) && point.clauses.includes(id),
    );
    const page = clausePage({
      clause,
      areaTitle: titles.get(area) ?? area,
      shown: shown.get(id) ?? {},
      others: [
        ...new Set(cases.filter((one) => one.clauses.some((cited) => cited.id === id)).map((one) => one.baseId)),
      ],
      recording: (caseId) => recordings.get(caseId),
      source: sourceOf,
      citations: citations.get(id) ?? [],
      defects: defects.filter((defect) => defect.clauses.includes(id)),
      decisions: decisionsAbout(decisions, [id]),
      openPoints: points.map((point) => ({ id: point.id, text: String(point['question'] ?? point['problem']) })),
    });
    return [`clauses/${id}.md`, `${page}\n`] as const;
  });
  const byArea = Map.groupBy(clauses, ({ area }) => area);
  const areas = [...byArea].map(([area, members]) => {
    const rows = members.map(
      ({ id, level, statement }) =>
        `| [${id}](./${id}.md) | ${level} | ${escapeText(statement).replaceAll('|', '\\|')} |`,
    );
    const text = [
      `# ${escapeText(titles.get(area) ?? area)}`,
      '',
      '| clause | level | statement |',
      '| --- | --- | --- |',
      ...rows,
      '',
    ];
    return [`clauses/${area.toLowerCase()}-area.md`, text.join('\n')] as const;
  });
  const links = [...byArea.keys()].map(
    (area) => `- [${escapeText(titles.get(area) ?? area)}](./${area.toLowerCase()}-area.md)`,
  );
  return {
    ...Object.fromEntries([...single, ...areas]),
    'clauses/index.md': `# Clauses by area\n\n${links.join('\n')}\n`,
  };
}

/** Runs the cases against the reference and reads what was seen. Throws when one of them did not go as the reference should. */
function record(wanted: readonly ConcreteCase[]): ReadonlyMap<string, Recording> {
  const ids = [...new Set(wanted.map(({ id }) => id))];
  const { status } = spawnSync(
    process.execPath,
    [
      'bin/conform.mjs',
      'run',
      ...ids,
      '--evidence',
      '--allow-unstable',
      '--no-regressions',
      '--reporter',
      'json',
      '--out',
      RUN,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (status !== 0) throw new Error(`the cases of the book ended with ${status ?? 'a signal'}: ${RUN} says why`);
  return new Map(
    readWholeReport(RUN).cases.flatMap(({ id, verdict, evidence }) =>
      evidence === undefined ? [] : [[id, { verdict, timeline: evidence.timeline, traces: evidence.traces }] as const],
    ),
  );
}

function casesOf({ positive, negative }: ShownCases = {}): readonly ConcreteCase[] {
  return [positive, negative].filter((one) => one !== undefined);
}

/** The lines of the file in which the case stands. A generated case is in none. */
function sourceOf(one: ConcreteCase): string {
  const lines = readFileSync(one.file, 'utf8').split('\n');
  const first = one.position(one.at).line - 1;
  const next = lines.findIndex((line, index) => index > first && /^ {2}- id: /.test(line));
  return lines.slice(first, next === -1 ? undefined : next).join('\n');
}

function isWanted(id: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => path.matchesGlob(id, pattern));
}

function partition<Item>(items: readonly Item[], goesLeft: (item: Item) => boolean): readonly [Item[], Item[]] {
  return [items.filter(goesLeft), items.filter((item) => !goesLeft(item))];
}
