import { isObject } from './json.ts';
import { show } from './show.ts';

// Events are told apart by their type and stage, ledger entries by method and target.
const NAMING = ['type', 'stage', 'phase', 'method', 'target', 'path'] as const;

/** What people call an item of a list: `GET /a`, `requestSnapshot final request`; its text when nothing names it. */
export function label(item: unknown): string {
  return naming(item) ?? show(item, 60);
}

/** The members that name an item, as one text; undefined when it has none of them. */
export function naming(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const parts = NAMING.map((key) => item[key]).filter((part) => typeof part === 'string');
  return parts.length === 0 ? undefined : parts.join(' ');
}
