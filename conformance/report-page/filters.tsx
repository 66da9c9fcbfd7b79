import type { JSX, RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import { areaOf } from './choose-cases.ts';
import { EVERY_CASE, type Place, type ViewProps } from './place.ts';

/** What can be chosen from a list, in the order of the page. */
const CHOICES = ['area', 'clause', 'feature', 'level', 'layer', 'defect'] as const;
type Choice = (typeof CHOICES)[number];

/** Search and the choices; each is a part of the address of the page. */
export function Filters({
  report,
  place,
  go,
  search,
}: ViewProps & { readonly search: RefObject<HTMLInputElement | null> }): JSX.Element {
  const choices = useMemo((): Readonly<Record<Choice, readonly string[]>> => {
    const clauses = report.cases.flatMap((entry) => entry.clauses.map(({ id }) => id));
    return {
      area: distinct(clauses.map(areaOf)),
      clause: distinct(clauses).filter((id) => place.area === '' || areaOf(id) === place.area),
      feature: distinct(report.cases.flatMap(({ needs }) => needs)),
      level: distinct(report.cases.map(({ level }) => level)),
      layer: distinct(report.cases.map(({ layer }) => layer)),
      defect: distinct(report.cases.flatMap(({ kills }) => kills)),
    };
  }, [report, place.area]);
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={search}
        type="search"
        placeholder="Search ids, titles, reasons (press /)"
        aria-label="Search cases"
        value={place.words}
        onInput={(event) => go({ words: event.currentTarget.value })}
      />
      {CHOICES.map((name) => (
        <Select key={name} name={name} values={choices[name]} place={place} go={go} />
      ))}
      <button type="button" onClick={() => go({ ...EVERY_CASE, report: place.report })}>
        Clear
      </button>
    </form>
  );
}

function Select({
  name,
  values,
  place,
  go,
}: {
  readonly name: Choice;
  readonly values: readonly string[];
  readonly place: Place;
  readonly go: ViewProps['go'];
}): JSX.Element {
  return (
    <select
      aria-label={LABELS[name]}
      value={place[name]}
      onChange={(event) => go({ [name]: event.currentTarget.value, open: '' })}
    >
      <option value="">{LABELS[name]}</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  );
}

const LABELS: Readonly<Record<Choice, string>> = {
  area: 'every area',
  clause: 'every clause',
  feature: 'every feature',
  level: 'every level',
  layer: 'every vantage',
  defect: 'every defect',
};

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}
