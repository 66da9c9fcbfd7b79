import type { CaseResult } from '../schedule/case-result.ts';
import type { Exchange, Message } from '../steps/exchange-record.ts';
import { isList, isObject } from '../values/json.ts';

/** Longer texts stand in a file of their own beside the report. */
export const INLINE_BYTES = 64 * 1024;

/** A text, or the file below the folder of reports that holds it. */
export type Text = string | { readonly file: string; readonly bytes: number };

/** A message whose body may be in a file. */
export interface FiledMessage extends Omit<Message, 'body' | 'base64'> {
  readonly body?: Text;
  readonly base64?: Text;
}

/** An exchange whose bodies may be in files. */
export interface FiledExchange extends Omit<Exchange, 'request' | 'answer'> {
  readonly request: FiledMessage;
  readonly answer: FiledMessage;
}

/** The evidence of a result as it stands in a report, and the files that it names. */
export interface FiledEvidence {
  readonly exchanges: readonly FiledExchange[];
  /** Entries of the ledgers as data, with `{file, bytes}` in the place of long texts. */
  readonly peers: Readonly<Record<string, readonly unknown[]>>;
  readonly traces: Readonly<Record<string, unknown>>;
  /** Files with the configuration as it was delivered, in the order of time. */
  readonly configurations: readonly string[];
  /** Path below the folder of reports to content. */
  readonly files: ReadonlyMap<string, string>;
}

/** Folder of a result below that of the reports, without characters that a file system or a shell would mind. */
export function folderOf({ case: one, round, verdict }: CaseResult): string {
  const name = one.id.replaceAll(/[^\w.-]+/g, '_').replace(/_+$/, '');
  return `${verdict === 'pass' || verdict === 'observe' ? 'seen' : 'failures'}/${name}${round === undefined ? '' : `-round-${round}`}`;
}

/** The evidence of a result, with long texts and the configuration in files; undefined when there is none. */
export function fileEvidence(result: CaseResult): FiledEvidence | undefined {
  if (result.evidence === undefined) return undefined;
  const { exchanges, peers, traces, configurations } = result.evidence;
  const folder = folderOf(result);
  const files = new Map<string, string>();
  const move = (text: string): Text => {
    const bytes = Buffer.byteLength(text);
    if (bytes <= INLINE_BYTES) return text;
    const file = `${folder}/text-${files.size + 1}.txt`;
    files.set(file, text);
    return { file, bytes };
  };
  const filed = {
    exchanges: exchanges.map(({ request, answer, ...rest }) => ({
      ...rest,
      request: fileMessage(request, move),
      answer: fileMessage(answer, move),
    })),
    peers: Object.fromEntries(
      Object.entries(peers).map(([name, seen]) => [name, seen.map((one) => fileValue(one, move))]),
    ),
    traces: Object.fromEntries(Object.entries(traces).map(([name, seen]) => [name, fileValue(seen, move)])),
  };
  const named = configurations.map((text, index) => [`${folder}/config-${index + 1}.yaml`, text] as const);
  for (const [file, text] of named) files.set(file, text);
  return { ...filed, configurations: named.map(([file]) => file), files };
}

function fileMessage({ body, base64, ...rest }: Message, move: (text: string) => Text): FiledMessage {
  return {
    ...rest,
    ...(body === undefined ? {} : { body: move(body) }),
    ...(base64 === undefined ? {} : { base64: move(base64) }),
  };
}

function fileValue(value: unknown, move: (text: string) => Text): unknown {
  if (typeof value === 'string') return move(value);
  if (isList(value)) return value.map((item) => fileValue(item, move));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fileValue(member, move)]));
}
