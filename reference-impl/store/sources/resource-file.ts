import { admit } from '../../admission/admit.ts';
import { pathText, type Violation } from '../../admission/violation.ts';
import { checkExpression } from '../../cel/check-expression.ts';
import { isFields } from '../../resources/groups.ts';
import { keyOf, type Resource } from '../../resources/kinds.ts';
import { locatorOf, type Position, readDocument, splitDocuments } from './file-text.ts';

/** Something wrong in a file, with its place: `FILE:LINE:COL path: message [clause]`. */
export interface Problem {
  readonly file: string;
  readonly position: Position;
  /** Empty when it is not about a field. */
  readonly path: string;
  readonly message: string;
  readonly clause?: string;
  /** A warning does not keep the file from being used. */
  readonly severity: 'error' | 'warning';
}

/** What a file holds. With an error among its problems none of it may be used. */
export interface ResourceFile {
  readonly resources: readonly LocatedResource[];
  readonly problems: readonly Problem[];
  /** Every document by its text, for the next reading. */
  readonly documents: ReadonlyMap<string, DocumentContent>;
}

/** Of an item of a `List` the position is that of the list. */
export interface LocatedResource {
  readonly key: string;
  readonly resource: Resource;
  readonly position: Position;
}

/** A document by itself: positions count from its first line. */
interface DocumentContent {
  readonly resources: readonly LocatedResource[];
  readonly problems: readonly Omit<Problem, 'file'>[];
}

/** Once a file is this wrong, the rest of it is not read. */
const MAX_PROBLEMS = 50;

const EMPTY: ReadonlyMap<string, DocumentContent> = new Map();

/**
 * Reads every resource of a file's text. Documents whose text is in `before` are not read again and give the same
 * resource objects, so that what did not change can be seen not to have changed.
 */
export function readResourceFile(
  file: string,
  text: string,
  before: ReadonlyMap<string, DocumentContent> = EMPTY,
): ResourceFile {
  const documents = new Map<string, DocumentContent>();
  const found = new Map<string, LocatedResource>();
  const problems: Problem[] = [];
  for (const document of splitDocuments(text)) {
    const content = before.get(document.text) ?? readContent(document.text);
    documents.set(document.text, content);
    problems.push(
      ...content.problems.map((problem) => ({
        ...problem,
        file,
        position: positionInFile(problem.position, document.line),
      })),
    );
    for (const { key, resource, position } of content.resources) {
      const at = positionInFile(position, document.line);
      const first = found.get(key);
      if (first === undefined) found.set(key, { key, resource, position: at });
      else problems.push(error(file, at, `${key} is already at line ${first.position.line} of this file`));
    }
    if (problems.filter(isError).length >= MAX_PROBLEMS) {
      problems.push(
        error(file, { line: document.line, column: 1 }, 'too many problems; the file is not read beyond this document'),
      );
      break;
    }
  }
  return { resources: [...found.values()], problems, documents };
}

/** One line for a person, in the form editors and terminals can jump to. */
export function problemText({ file, position, path, message, clause }: Problem): string {
  const where = `${file}:${position.line}:${position.column}`;
  return `${where} ${path === '' ? '' : `${path}: `}${message}${clause === undefined ? '' : ` [${clause}]`}`;
}

export function error(file: string, position: Position, message: string): Problem {
  return { file, position, path: '', message, severity: 'error' };
}

export function isError({ severity }: Pick<Problem, 'severity'>): boolean {
  return severity === 'error';
}

function readContent(text: string): DocumentContent {
  const read = readDocument(text);
  if (!read.ok) {
    const problems = read.problems.map((problem) => ({ ...problem, path: '', severity: 'error' as const }));
    return { resources: [], problems };
  }
  const locate = locatorOf(text);
  const position = firstLine(text);
  const resources: LocatedResource[] = [];
  const problems: Omit<Problem, 'file'>[] = (read.warnings ?? []).map((warning) => ({
    ...warning,
    path: '',
    severity: 'warning',
  }));
  const tell = (violation: Violation, prefix: readonly (string | number)[], severity: Problem['severity']): void => {
    if (problems.length >= MAX_PROBLEMS) return;
    const path = [...prefix, ...violation.path];
    problems.push({ ...violation, path: pathText(path), position: locate(path), severity });
  };
  for (const { value, prefix } of itemsOf(read.value)) {
    const admission = admit(value, checkExpression);
    if (admission.ok) {
      resources.push({ key: keyOf(admission.resource), resource: admission.resource, position });
      for (const warning of admission.warnings) tell(warning, prefix, 'warning');
    } else for (const violation of admission.violations) tell(violation, prefix, 'error');
    if (problems.filter(isError).length >= MAX_PROBLEMS) break;
  }
  return { resources, problems };
}

/** A `List` stands for its items. */
function itemsOf(value: unknown): { value: unknown; prefix: readonly (string | number)[] }[] {
  const items: unknown =
    isFields(value) && value['kind'] === 'List' && value['apiVersion'] === 'v1' ? value['items'] : undefined;
  if (!Array.isArray(items)) return [{ value, prefix: [] }];
  return items.map((item: unknown, index) => ({ value: item, prefix: ['items', index] }));
}

/** The first line that says something. */
function firstLine(text: string): Position {
  const lines = text.split('\n');
  const index = lines.findIndex((line) => !/^(---)?\s*(#.*)?$/.test(line));
  return { line: Math.max(index, 0) + 1, column: 1 };
}

function positionInFile(position: Position, startLine: number): Position {
  return { line: position.line + startLine - 1, column: position.column };
}
