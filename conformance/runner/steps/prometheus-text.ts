/** One line of the Prometheus text format, with the metric it belongs to. */
export interface Sample {
  /** Of the metric: without `_bucket`, `_sum` and `_count` where its type has these. */
  readonly family: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface PrometheusText {
  readonly samples: readonly Sample[];
  /** By metric, as its `# TYPE` line says it. */
  readonly types: Readonly<Record<string, string>>;
  /** Lines that are none. */
  readonly malformed: readonly string[];
  /** What each line says. */
  readonly lines: ReadonlyMap<string, Sample>;
}

/** An empty text. */
export const NO_METRICS: PrometheusText = { samples: [], types: {}, malformed: [], lines: new Map() };

/**
 * Reads the text format: comments, samples, escapes in values of labels, and moments behind values. A line that `before` has too is the same
 * sample, the same object even: of thousands of lines few are others a moment later.
 */
export function parsePrometheusText(text: string, before: PrometheusText = NO_METRICS): PrometheusText {
  const types: Record<string, string> = {};
  const lines = new Map<string, Sample>();
  const samples: Sample[] = [];
  const malformed: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) {
      const [, name, type] = /^# TYPE (\S+) (\w+)\s*$/.exec(line) ?? [];
      if (name !== undefined && type !== undefined) types[name] = type;
      continue;
    }
    if (line.trim() === '') continue;
    const sample = sampleOf(line, types, before);
    if (sample === undefined) {
      malformed.push(line);
      continue;
    }
    samples.push(sample);
    lines.set(line, sample);
  }
  return { samples, types, malformed, lines };
}

function sampleOf(line: string, types: Readonly<Record<string, string>>, before: PrometheusText): Sample | undefined {
  const known = before.lines.get(line);
  const isSame = (name: string): boolean => types[name] === before.types[name];
  if (known !== undefined && isSame(known.name) && isSame(known.family)) return known;
  // A copy: a part of a string keeps the whole of it, and a sample that stays the same would keep the page of each look.
  return structuredClone(readSample(line, types));
}

const NAME = /^[a-zA-Z_:][\w:]*/;
const LABEL = /\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|\})/y;

function readSample(line: string, types: Readonly<Record<string, string>>): Sample | undefined {
  const [name = ''] = NAME.exec(line) ?? [];
  if (name === '') return undefined;
  const read = readLabels(line, name.length);
  if (read === undefined) return undefined;
  const [, value] = /^\s*(\S+)(?:\s+-?\d+(?:\.\d+)?)?\s*$/.exec(line.slice(read.end)) ?? [];
  const number = value === undefined ? undefined : numberOf(value);
  return number === undefined ? undefined : { family: familyOf(name, types), name, labels: read.labels, value: number };
}

function readLabels(
  line: string,
  start: number,
): { readonly labels: Readonly<Record<string, string>>; readonly end: number } | undefined {
  if (line[start] !== '{') return { labels: {}, end: start };
  const labels: Record<string, string> = {};
  if (/^\{\s*\}/.test(line.slice(start))) return { labels, end: line.indexOf('}', start) + 1 };
  LABEL.lastIndex = start + 1;
  for (;;) {
    const [whole, label = '', value = '', next = ''] = LABEL.exec(line) ?? [];
    if (whole === undefined || label in labels) return undefined;
    labels[label] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
    if (next === '}') return { labels, end: LABEL.lastIndex };
    // A comma may stand behind the last label.
    const rest = /^\s*\}/.exec(line.slice(LABEL.lastIndex));
    if (rest !== null) return { labels, end: LABEL.lastIndex + rest[0].length };
  }
}

function numberOf(text: string): number | undefined {
  if (/^[+-]?Inf$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (text === 'NaN') return Number.NaN;
  const number = Number(text);
  return Number.isNaN(number) ? undefined : number;
}

function familyOf(name: string, types: Readonly<Record<string, string>>): string {
  const stem = name.replace(/_(?:bucket|sum|count|total)$/, '');
  return types[name] === undefined && types[stem] !== undefined ? stem : name;
}
