import { splitTarget } from '../exchange/request-state.ts';
import type { HTTPPathModifier } from '../resources/gateway-api/http-route-filter.ts';

/**
 * A request target with its path replaced; the query stays. Undefined when a prefix is to be replaced but the rule
 * did not match by prefix.
 */
export function modifyTarget(
  target: string,
  modifier: HTTPPathModifier,
  matchedPrefix: string | undefined,
): string | undefined {
  const { path } = splitTarget(target);
  const query = target.slice(path.length);
  if (modifier.type === 'ReplaceFullPath') return withSlash(modifier.replaceFullPath) + query;
  if (matchedPrefix === undefined) return undefined;
  return replacePrefix(path, matchedPrefix, modifier.replacePrefixMatch) + query;
}

/** What follows the prefix starts with `/`; the replacement does not end with one, unless it is all there is. */
function replacePrefix(path: string, prefix: string, replacement: string): string {
  const rest = path.slice(prefix.replace(/\/+$/, '').length);
  const start = replacement.replace(/\/+$/, '');
  if (rest === '') return withSlash(replacement);
  return withSlash(start + (rest.startsWith('/') ? rest : `/${rest}`));
}

function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}
