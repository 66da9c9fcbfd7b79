import { setImmediate as nextTurn } from 'node:timers/promises';
import { expressionsIn } from '../../admission/expressions.ts';
import type { Clock } from '../../base/clock.ts';
import { checkExpression } from '../../cel/check-expression.ts';
import { KINDS } from '../../resources/kinds.ts';
import type { ServedKind } from './served-kinds.ts';

/** Milliseconds of work after which others have their turn. */
const TURN = 10;

/**
 * Compiles the expressions of a sent object, or of a patch that has the form of one, piece by piece: requests go on between
 * the pieces. The step that puts the object in force finds them compiled; by itself it would take seconds where an object is
 * full of them.
 */
export async function compileAhead(kind: ServedKind, value: unknown, clock: Pick<Clock, 'monotonic'>): Promise<void> {
  let began = clock.monotonic();
  for (const { text } of expressionsIn(KINDS[kind.name].schema, value)) {
    checkExpression(text);
    if (clock.monotonic() - began < TURN) continue;
    await nextTurn();
    began = clock.monotonic();
  }
}
