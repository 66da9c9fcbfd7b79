import { createLaneChooser } from '../../lanes.ts';
import { isAt } from '../../target.ts';
import { valuesByLowerCaseName } from '../../values-by-name.ts';
import type { HttpEntry } from './entry.ts';
import type { HttpScript, Match, Reply } from './script.ts';

/** Chooses the reply to each request; the peer's fault stands in where a reply names none. */
export function createChooser(script: HttpScript): (entry: HttpEntry) => Reply {
  const choose = createLaneChooser(script, { matches });
  const fault = script.fault === 'refuse' ? undefined : script.fault;
  return (entry) => {
    const reply = choose(entry);
    return fault === undefined || reply.fault !== undefined ? reply : { ...reply, fault };
  };
}

function matches(match: Match, entry: HttpEntry): boolean {
  if (match.method !== undefined && match.method !== entry.method) return false;
  if (match.path !== undefined && !isAt(entry.target, match.path)) return false;
  const headers = valuesByLowerCaseName(entry.headers);
  return Object.entries(match.headers ?? {}).every(([name, value]) =>
    [headers[name.toLowerCase()]].flat().some((one) => one === value || (value === '*' && one !== undefined)),
  );
}
