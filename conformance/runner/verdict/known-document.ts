import { Document, isSeq, parseDocument, YAMLSeq } from 'yaml';
import { TO_WRITE } from './known-failures.ts';
import type { MissingEntry } from './known-plan.ts';

const HEAD = `# Cases that are known not to pass, each with its reason. An entry whose case passes makes a run red, so the list cannot rot.
`;
const SAID_LENGTH = 200;

/**
 * The text of a known-failures file with more entries at its end, whose reasons are still to be written; what each case said stands above
 * its entry. Entries and comments that are there stay as they are. `text` is that of a good list, or empty.
 */
export function extendKnown(text: string, missing: readonly MissingEntry[], owner = TO_WRITE): string {
  const list = new YAMLSeq();
  for (const entry of missing) list.add(nodeOf(entry, owner));
  if (list.items.length === 0) return text;
  const added = new Document(list).toString(LAYOUT);
  const { contents } = parseDocument(text);
  if (contents === null) return `${text.trim() === '' ? HEAD : text.replace(/\n*$/, '\n')}${added}`;
  const longer = `${text.replace(/\n*$/, '\n')}${indented(added, columnOf(text, contents.range[0]))}`;
  const isBlock = isSeq(contents) && contents.flow !== true && parseDocument(longer).errors.length === 0;
  return isBlock ? longer : inBlock(text, list);
}

// A line that is broken would be another text than the person wrote.
const LAYOUT = { lineWidth: 0, singleQuote: true } as const;

function nodeOf({ case: id, verdict, count, said }: MissingEntry, owner: string): unknown {
  const of = verdict === 'fail' ? {} : { verdict };
  const node = new Document().createNode({ case: id, ...of, reason: `${TO_WRITE} say why`, owner });
  node.commentBefore = ` ${commentOf({ verdict, count, said })}`;
  return node;
}

/** A list in brackets, or one whose end is marked, takes no entry at its end as text. */
function inBlock(text: string, added: YAMLSeq): string {
  const document: Document = parseDocument(text);
  const { contents } = document;
  if (!isSeq(contents)) return text;
  contents.flow = false;
  for (const item of added.items) contents.add(item);
  return document.toString(LAYOUT);
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

function indented(text: string, columns: number): string {
  return columns === 0 ? text : text.replaceAll(/^(?=.)/gm, ' '.repeat(columns));
}

/** One line, without what a terminal would obey. */
function commentOf({ verdict, count, said }: Pick<MissingEntry, 'verdict' | 'count' | 'said'>): string {
  const words = said.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  const short = words.length > SAID_LENGTH ? `${words.slice(0, SAID_LENGTH)}…` : words;
  return [count === 1 ? verdict : `${count} cases, ${verdict}`, short].filter((part) => part !== '').join(': ');
}
