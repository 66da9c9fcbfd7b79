import { createLaneChooser } from '../lanes.ts';
import type { Asked } from './asked.ts';
import type { Match, RateLimitScript, Reply } from './script.ts';

/** Chooses the reply to each question. */
export function createChooser(script: RateLimitScript): (asked: Asked) => Reply {
  return createLaneChooser(script, { matches });
}

function matches({ domain, entries = {} }: Match, asked: Asked): boolean {
  if (domain !== undefined && domain !== asked.domain) return false;
  const wanted = Object.entries(entries);
  if (wanted.length === 0) return true;
  return asked.descriptors.some((descriptor) =>
    wanted.every(([name, text]) => descriptor.entries.some(({ key, value }) => key === name && value === text)),
  );
}
