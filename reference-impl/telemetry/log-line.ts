import { rfc3339 } from '../base/clock.ts';
import { jsonText } from '../cel/results.ts';
import type { Attribute, AttributeValue } from './attributes.ts';
import type { Entry } from './entry.ts';
import type { LogFormat } from './log-formats.ts';
import { type LogKey, OTHER_KEYS, ROUTE_KEYS } from './names/log-keys.ts';
import { perRule } from './per-rule.ts';

/** LOG-015: one entry as a line, with its newline. docs/decisions/telemetry.md */
export function logLine(format: LogFormat, wall: number, attributes: readonly Attribute[]): string {
  const time = rfc3339(wall);
  // A field that was added may have the name of one of the first three, whose place it then takes.
  if (format === 'json')
    return `${jsonText({ level: 'info', time, scope: 'request', ...Object.fromEntries(attributes) })}\n`;
  let line = text.head(time);
  for (const [name, value] of attributes) line += text.label(name) + text.value(value);
  return line + text.end;
}

/** The line of an entry with the default fields and no others. Nothing is made of them but the line: most entries are such. */
export function defaultLine(format: LogFormat, wall: number, entry: Entry): string {
  const { head, value: valueText, end, groups, routeText } = DEFAULT_LINES[format];
  let line = head(rfc3339(wall)) + routeText(entry);
  for (const { ofEntry, fields } of groups) {
    if (!ofEntry(entry)) continue;
    for (const { label, value } of fields) {
      const held = value(entry);
      if (held !== undefined) line += label + valueText(held);
    }
  }
  return line + end;
}

/** How a line is written in a format. */
interface Writing {
  readonly head: (time: string) => string;
  /** What stands before the value of a field. */
  readonly label: (name: string) => string;
  readonly value: (value: AttributeValue) => string;
  readonly end: string;
}

const text: Writing = {
  head: (time) => `${time}\tinfo\trequest`,
  label: (name) => ` ${name}=`,
  // A word as it is; what could be taken for something else is quoted, so that no value can pretend to be a field or a line.
  value: (value) => {
    if (typeof value === 'string') return WORD.test(value) ? value : JSON.stringify(value);
    return typeof value === 'object' ? jsonText(value) : String(value);
  },
  end: '\n',
};

const WORD = /^[!#-<>-~]+$/;

const json: Writing = {
  head: (time) => `{"level":"info","time":"${time}","scope":"request"`,
  label: (name) => `,${JSON.stringify(name)}:`,
  value: (value) => (typeof value === 'string' && PLAIN.test(value) ? `"${value}"` : jsonText(value)),
  end: '}\n',
};

/** Text of which JSON escapes nothing. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A field of the table, with what stands before it. */
interface Field {
  readonly label: string;
  readonly value: LogKey['value'];
}

interface DefaultLine extends Writing {
  /** The fields that all entries of a rule have in common, made once. */
  readonly routeText: (entry: Entry) => string;
  readonly groups: readonly { readonly ofEntry: (entry: Entry) => boolean; readonly fields: readonly Field[] }[];
}

function defaultLines(writing: Writing): DefaultLine {
  const fieldOf = ({ name, value }: LogKey): Field => ({ label: writing.label(name), value });
  const groups = OTHER_KEYS.map(({ ofEntry, keys }) => ({ ofEntry, fields: keys.map(fieldOf) }));
  const textOf = (entry: Entry): string =>
    ROUTE_KEYS.map(({ name, value }) => {
      const held = value(entry);
      return held === undefined ? '' : writing.label(name) + writing.value(held);
    }).join('');
  const known = perRule((): { text?: string } => ({}));
  const routeText = (entry: Entry): string => (known(entry).text ??= textOf(entry));
  return { ...writing, groups, routeText };
}

const DEFAULT_LINES: Readonly<Record<LogFormat, DefaultLine>> = { text: defaultLines(text), json: defaultLines(json) };
