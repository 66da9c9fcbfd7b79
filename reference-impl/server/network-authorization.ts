import { perObject } from '../base/per-object.ts';
import type { Source } from '../exchange/exchange.ts';
import { connectionVariables } from '../exchange/request-state.ts';
import { allows, compileRules } from '../policies/traffic/authorization.ts';
import type { Authorization } from '../resources/proxy-policy/fields/authorization.ts';

/**
 * FRONT-013, FRONT-042: whether a client may connect, by the rules of each Gateway of the port. They know the two ends of the
 * connection and nothing else (FRONT-015). docs/decisions/front-door.md
 */
export function mayConnect(source: Source, gateways: readonly (readonly Authorization[])[]): boolean {
  return gateways.every((rules) => allows(compiled(rules), connectionVariables(source)));
}

const compiled = perObject(compileRules);
