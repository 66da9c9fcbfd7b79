import type { Violation } from './violation.ts';

/** What an API server keeps of one object, in bytes of its text. */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** Deeper than any resource of the document; schemas and expressions may recurse safely up to here. */
const MAX_DEPTH = 64;

/** Refuses what no resource can be: too deep, not plain data, or with keys that change what an object is. */
export function shapeViolations(value: unknown): Violation[] {
  return inspect(value, []);
}

function inspect(value: unknown, path: readonly (string | number)[]): Violation[] {
  if (typeof value !== 'object' || value === null) return [];
  if (path.length >= MAX_DEPTH) return [{ path, message: `nested deeper than ${MAX_DEPTH} levels` }];
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => inspect(item, [...path, index]));
  const violations: Violation[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') violations.push({ path: [...path, key], message: 'this key is not allowed' });
    else if (typeof member === 'object') violations.push(...inspect(member, [...path, key]));
  }
  return violations;
}
