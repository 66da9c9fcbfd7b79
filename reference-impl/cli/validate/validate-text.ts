import { admit } from '../../admission/admit.ts';
import { withDefaults } from '../../admission/defaults.ts';
import { type Path, pathText, type Violation } from '../../admission/violation.ts';
import { checkExpression } from '../../cel/check-expression.ts';
import { isFields } from '../../resources/groups.ts';
import { isKindName, keyOf } from '../../resources/kinds.ts';
import { locatorOf, type Position, readDocument, splitDocuments } from '../../store/sources/file-text.ts';

/** What admission says about one resource. `path` is within it; line and column count from 1 within the input. */
export interface Verdict {
  readonly file: string;
  readonly line: number;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly valid: boolean;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** The resource with the defaults the proxy assumes. */
  readonly resource?: unknown;
}

export interface Finding {
  readonly path: string;
  readonly message: string;
  readonly clause?: string;
  readonly line: number;
  readonly column: number;
}

/** A place where an input cannot be read. */
export interface Unreadable {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface Validated {
  readonly verdicts: readonly Verdict[];
  readonly unreadable: readonly Unreadable[];
}

/** More documents than anybody writes by hand; the rest of such an input is not read. */
const MAX_DOCUMENTS = 10_000;

/** Checks every document of a text; `seen` remembers what was found where, over all texts of one call. Never throws. */
export function validateText(file: string, text: string, seen: Map<string, string>, defaults: boolean): Validated {
  const documents = splitDocuments(text);
  const verdicts: Verdict[] = [];
  const unreadable: Unreadable[] = [];
  for (const { text: document, line } of documents.slice(0, MAX_DOCUMENTS)) {
    const read = readDocument(document);
    if (!read.ok) {
      for (const { position, message } of read.problems)
        unreadable.push({ file, line: position.line + line - 1, column: position.column, message });
      continue;
    }
    const locate = locatorOf(document);
    const ofText = (read.warnings ?? []).map(({ position, message }): Finding => {
      return { path: '', message, line: position.line + line - 1, column: position.column };
    });
    for (const { value, path } of itemsOf(read.value)) {
      const place = (within: Path): Position => {
        const position = locate([...path, ...within]);
        return { line: position.line + line - 1, column: position.column };
      };
      const verdict = verdictOn({ file, value, place }, seen, defaults);
      // What the text is warned about is told once, with its first resource.
      verdicts.push({ ...verdict, warnings: [...ofText.splice(0), ...verdict.warnings] });
    }
  }
  const next = documents[MAX_DOCUMENTS];
  if (next !== undefined)
    unreadable.push({ file, line: next.line, column: 1, message: `more than ${MAX_DOCUMENTS} documents` });
  return { verdicts, unreadable };
}

/** A list stands for its items: `List`, or the list of one kind. */
function itemsOf(value: unknown): { readonly value: unknown; readonly path: Path }[] {
  const kind = isFields(value) ? value['kind'] : undefined;
  const isList =
    typeof kind === 'string' && kind.endsWith('List') && (kind === 'List' || isKindName(kind.slice(0, -4)));
  const items: unknown = isList && isFields(value) ? value['items'] : undefined;
  if (!Array.isArray(items)) return [{ value, path: [] }];
  return items.map((item: unknown, index) => ({ value: item, path: ['items', index] }));
}

/** One resource of an input, and where its members stand. */
interface Item {
  readonly file: string;
  readonly value: unknown;
  readonly place: (path: Path) => Position;
}

function verdictOn({ file, value, place }: Item, seen: Map<string, string>, defaults: boolean): Verdict {
  const { line } = place([]);
  const about = { file, line, ...identityOf(value) };
  const finding = ({ path, ...violation }: Violation): Finding => ({
    path: pathText(path),
    ...violation,
    ...place(path),
  });
  const refused = (errors: readonly Violation[]): Verdict => ({
    ...about,
    valid: false,
    errors: errors.map(finding),
    warnings: [],
  });
  if (!isFields(value) || (value['kind'] === undefined && value['apiVersion'] === undefined))
    return refused([{ path: [], message: 'not a resource document: it has no apiVersion and no kind' }]);
  const admission = admit(value, checkExpression);
  if (!admission.ok) return refused(admission.violations);
  const key = keyOf(admission.resource);
  const first = seen.get(key);
  if (first !== undefined) return refused([{ path: ['metadata', 'name'], message: `${key} is already at ${first}` }]);
  seen.set(key, `${file}:${line}`);
  return {
    ...about,
    valid: true,
    errors: [],
    warnings: admission.warnings.map(finding),
    ...(defaults && { resource: withDefaults(admission.resource) }),
  };
}

function identityOf(value: unknown): Pick<Verdict, 'kind' | 'name' | 'namespace'> {
  if (!isFields(value)) return {};
  const metadata = isFields(value['metadata']) ? value['metadata'] : {};
  return {
    ...textMember('kind', value['kind']),
    ...textMember('name', metadata['name']),
    ...textMember('namespace', metadata['namespace']),
  };
}

function textMember(member: 'kind' | 'name' | 'namespace', text: unknown): Pick<Verdict, typeof member> {
  return typeof text === 'string' ? { [member]: shorten(text) } : {};
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
