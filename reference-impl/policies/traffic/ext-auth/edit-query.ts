/**
 * The target with query parameters set and removed; what is not named stays byte for byte. A parameter that is set keeps
 * the place of its first occurrence, further ones go.
 */
export function editQuery(
  target: string,
  set: readonly (readonly [key: string, value: string])[],
  remove: readonly string[],
): string {
  if (set.length + remove.length === 0) return target;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const given = mark < 0 ? [] : target.slice(mark + 1).split('&');
  const wanted = new Map(set);
  const seen = new Set<string>();
  const kept = given.flatMap((parameter) => {
    const name = nameOf(parameter);
    const value = wanted.get(name);
    if (value === undefined) return remove.includes(name) ? [] : [parameter];
    if (seen.has(name)) return [];
    seen.add(name);
    return [writeParameter(name, value)];
  });
  const added = [...wanted].flatMap(([name, value]) => (seen.has(name) ? [] : [writeParameter(name, value)]));
  const query = [...kept, ...added].join('&');
  return query === '' ? path : `${path}?${query}`;
}

function writeParameter(name: string, value: string): string {
  return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`;
}

/** Decoded where it can be. */
function nameOf(parameter: string): string {
  const name = (parameter.split('=', 1)[0] ?? '').replaceAll('+', ' ');
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // an escape that is none stands for itself
  }
}
