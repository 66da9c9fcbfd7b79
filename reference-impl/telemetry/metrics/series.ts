import type { MetricRow } from '../names/metrics.ts';

/** A label and its value. */
export type Label = readonly [name: string, value: string];

/** METRIC-003: also what a label has whose expression fails. */
export const UNKNOWN = 'unknown';

/** Labels and their values. Requests that differ in nothing that labels say share one, for all the metrics that count them. */
export class LabelSet {
  /** Equal for equal values. */
  readonly key: string;
  /** The cells that were found under it. */
  readonly cells = new Map<Series, Cell>();
  readonly #names: readonly string[];
  readonly #values: readonly string[];
  readonly #added: readonly Label[];
  #text: string | undefined;

  /** `values` are those of `names`, in their order; a label that is added takes the place of one of its name. */
  constructor(names: readonly string[], values: readonly string[], added: readonly Label[]) {
    this.#names = names;
    this.#values = values;
    this.#added = added;
    let key = values.join('\u0000');
    for (const [name, value] of added) key += `\u0001${name}\u0000${value}`;
    this.key = key;
  }

  pairs(): readonly Label[] {
    const replaced = new Set(this.#added.map(([name]) => name));
    const own = this.#names.map((name, place): Label => [name, this.#values[place] ?? UNKNOWN]);
    return [...own.filter(([name]) => !replaced.has(name)), ...this.#added];
  }

  /** As they stand between the braces of a sample. Made once: whoever collects metrics asks for the same ones again and again. */
  text(): string {
    this.#text ??= this.pairs()
      .map(([label, held]) => `${label}="${escape(held)}"`)
      .join(',');
    return this.#text;
  }

  /** The same labels, all unknown. */
  unknown(): LabelSet {
    return new LabelSet(
      this.#names,
      this.#names.map(() => UNKNOWN),
      this.#added.map(([name]) => [name, UNKNOWN]),
    );
  }
}

function escape(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/** What one series has counted. */
export class Cell {
  readonly labels: LabelSet;
  /** Of a counter the count, of a histogram the sum of what was observed. */
  sum = 0;
  /** Of a histogram: how many observations fell into each bucket, the last without bound. */
  readonly counts: number[];
  readonly #bounds: readonly number[];

  constructor(labels: LabelSet, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** Adds to a counter, or observes a value in a histogram. */
  add(value: number): void {
    this.sum += value;
    let place = 0;
    while (place < this.#bounds.length && value > (this.#bounds[place] ?? 0)) place += 1;
    this.counts[place] = (this.counts[place] ?? 0) + 1;
  }
}

/** The series of one metric. */
export interface Series {
  readonly row: MetricRow;
  readonly at: (labels: LabelSet) => Cell;
  readonly all: () => Iterable<Cell>;
}

/** Sets of labels of one metric: whoever chooses labels chooses how many there are, up to here. */
const MOST_SERIES = 10_000;

/** METRIC-004: beyond the bound, what is counted has `unknown` for every label; `onOverflow` is told each time. */
export function createSeries(row: MetricRow, onOverflow: () => void): Series {
  const cells = new Map<string, Cell>();
  const open = (labels: LabelSet): Cell => {
    const cell = new Cell(labels, row.buckets ?? []);
    cells.set(labels.key, cell);
    return cell;
  };
  const find = (labels: LabelSet): Cell => {
    const known = cells.get(labels.key) ?? (cells.size < MOST_SERIES ? open(labels) : undefined);
    if (known !== undefined) {
      labels.cells.set(series, known);
      return known;
    }
    onOverflow();
    const unknown = labels.unknown();
    return cells.get(unknown.key) ?? open(unknown);
  };
  const series: Series = {
    row,
    at: (labels) => labels.cells.get(series) ?? find(labels),
    all: () => cells.values(),
  };
  return series;
}
