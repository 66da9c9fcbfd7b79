import { celEnv } from '@bufbuild/cel';
import { ENCODER_FUNCTIONS } from './functions/encoders.ts';
import { GROWING_FUNCTIONS } from './functions/growth.ts';
import { JSON_FUNCTIONS } from './functions/json.ts';
import { LAZY_FUNCTIONS } from './functions/lazy.ts';
import { MATH_FUNCTIONS } from './functions/math.ts';
import { MESSAGE_FUNCTIONS } from './functions/message-parts.ts';
import { NETWORK_FUNCTIONS, NETWORK_TYPES } from './functions/network.ts';
import { TEXT_FUNCTIONS } from './functions/text.ts';
import { matches } from './pattern.ts';

/** What every expression may call: docs/decisions/cel-functions.md. `matches` runs on RE2, linear in the input. */
export const ENVIRONMENT = celEnv({
  registry: NETWORK_TYPES,
  re2: { compile: (expression) => ({ test: (text) => matches(text, expression) }) },
  funcs: [
    ...TEXT_FUNCTIONS,
    ...MATH_FUNCTIONS,
    ...ENCODER_FUNCTIONS,
    ...JSON_FUNCTIONS,
    ...MESSAGE_FUNCTIONS,
    ...NETWORK_FUNCTIONS,
    ...LAZY_FUNCTIONS,
    ...GROWING_FUNCTIONS,
  ],
});

/** Operators the engine plans itself; they are not in its table of functions. */
const PLANNED: ReadonlySet<string> = new Set([
  '_[_]',
  '_?_:_',
  '_&&_',
  '_||_',
  '@not_strictly_false',
  '__not_strictly_false__',
]);

export function isFunction(name: string): boolean {
  return PLANNED.has(name) || ENVIRONMENT.funcs.find(name) !== undefined;
}
