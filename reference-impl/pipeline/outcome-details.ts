import type { HeaderMap } from '../base/headers.ts';
import type { Received, Request } from '../exchange/exchange.ts';
import type { Outcome } from '../exchange/outcome.ts';

/** What an outcome does to a request, in words: names of what changed, never values. */
export function outcomeDetails({ request }: Received, outcome: Outcome): string {
  if (outcome.kind === 'answer') {
    const { status, failure } = outcome.answer;
    return failure === undefined ? `answered ${status}` : `answered ${status}: ${failure.message}`;
  }
  const { request: now = request, facts = {}, handover = {} } = outcome.kind === 'change' ? outcome : {};
  const parts = [
    ...listNames('changed', changes(request, now)),
    ...listNames('learnt', Object.keys(facts)),
    ...listNames(
      'for the answer',
      (handover.replyHeaders ?? []).map(([name]) => name),
    ),
  ];
  return parts.length === 0 ? 'let the request pass' : parts.join('; ');
}

function listNames(title: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${title} ${names.join(', ')}`];
}

/** A body that was only read looks like a changed one, so bodies are not spoken of. */
function changes(before: Request, after: Request): string[] {
  return [
    ...(after.method === before.method ? [] : ['method']),
    ...(after.target === before.target ? [] : ['path']),
    ...(after.authority === before.authority ? [] : ['host']),
    ...changedFields(before.headers, after.headers),
  ];
}

function changedFields(before: HeaderMap, after: HeaderMap): string[] {
  if (before === after) return [];
  const names = new Set([...before, ...after].map(([name]) => name.toLowerCase()));
  return [...names].filter((name) => before.getAll(name).join('\n') !== after.getAll(name).join('\n'));
}
