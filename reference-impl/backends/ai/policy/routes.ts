import type { RouteType } from '../../../resources/proxy-policy/fields/ai/backend-ai.ts';

/** Finds what is spoken at a path. */
export type RouteTypeOf = (path: string) => RouteType;

/** ROUTES-001: what is spoken where no route says otherwise. */
const DEFAULT: RouteType = 'Completions';

/**
 * ROUTES-002, ROUTES-003: a key is what the path ends with; the longest one decides, `*` when no other does.
 * docs/decisions/llm-routes.md
 */
export function compileRoutes(routes: Readonly<Record<string, RouteType>> = {}): RouteTypeOf {
  const suffixes = Object.entries(routes)
    .filter(([key]) => key !== '*')
    .toSorted(([one], [other]) => other.length - one.length);
  const otherwise = Object.hasOwn(routes, '*') ? (routes['*'] ?? DEFAULT) : DEFAULT;
  return (path) => suffixes.find(([suffix]) => path.endsWith(suffix))?.[1] ?? otherwise;
}
