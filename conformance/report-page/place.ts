import type { PageData } from '../runner/report/documents/page-data.ts';
import type { ReportFile } from '../runner/report/report-schema.ts';

export type View = 'cases' | 'clauses' | 'defects' | 'compare';

/** What is looked at: it stands in the address of the page. */
export interface Place {
  readonly view: View;
  /** Which of the reports. */
  readonly report: number;
  /** Words that a case must have, in any of its texts. */
  readonly words: string;
  /** Verdicts that are shown; all when empty. */
  readonly verdicts: readonly string[];
  readonly level: string;
  /** The window through which a case looks: its layer. */
  readonly layer: string;
  readonly area: string;
  readonly clause: string;
  readonly feature: string;
  readonly defect: string;
  /** The id of the case that is open. */
  readonly open: string;
}

/** What every view gets. */
export interface ViewProps {
  readonly data: PageData;
  readonly report: ReportFile;
  readonly place: Place;
  readonly go: (change: Partial<Place>) => void;
}

const NOWHERE: Place = {
  view: 'cases',
  report: 0,
  words: '',
  verdicts: [],
  level: '',
  layer: '',
  area: '',
  clause: '',
  feature: '',
  defect: '',
  open: '',
};

const VIEWS: ReadonlySet<string> = new Set<View>(['cases', 'clauses', 'defects', 'compare']);

/** The place that the part of an address after `#` names. */
export function readPlace(hash: string): Place {
  const asked = new URLSearchParams(hash.replace(/^#/, ''));
  const text = (name: keyof Place): string => asked.get(name) ?? '';
  const view = text('view');
  return {
    view: isView(view) ? view : 'cases',
    report: Math.max(0, Number.parseInt(text('report'), 10) || 0),
    words: text('words'),
    verdicts: text('verdicts').split(',').filter(Boolean),
    level: text('level'),
    layer: text('layer'),
    area: text('area'),
    clause: text('clause'),
    feature: text('feature'),
    defect: text('defect'),
    open: text('open'),
  };
}

/** The place as the part of an address after `#`, without what is as at the start. */
export function writePlace(place: Place): string {
  const asked = new URLSearchParams();
  const before = new Map(Object.entries(NOWHERE).map(([name, value]) => [name, String(value)]));
  for (const [name, value] of Object.entries(place)) {
    const text = String(value);
    if (text !== before.get(name)) asked.set(name, text);
  }
  return `#${asked.toString()}`;
}

/** The place with nothing left out. */
export const EVERY_CASE: Partial<Place> = { ...NOWHERE };

function isView(text: string): text is View {
  return VIEWS.has(text);
}
