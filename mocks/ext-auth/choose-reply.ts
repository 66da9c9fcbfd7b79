import { createLaneChooser } from '../lanes.ts';
import { isAt } from '../target.ts';
import type { Checked } from './checked.ts';
import type { ExtAuthScript, Match, Reply } from './script.ts';

/** Chooses the reply to each checked request. */
export function createChooser(script: ExtAuthScript): (checked: Checked) => Reply {
  return createLaneChooser(script, { matches });
}

function matches({ method, path, headers = {} }: Match, checked: Checked): boolean {
  if (method !== undefined && method !== checked.method) return false;
  if (path !== undefined && !isAt(checked.path, path)) return false;
  return Object.entries(headers).every(([name, value]) => checked.headers[name.toLowerCase()] === value);
}
