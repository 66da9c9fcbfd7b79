import { conditional } from '../conditional.ts';
import { transformMessage } from '../transform-message.ts';

/** `traffic.transformation`, plain or conditional (COND-011). */
export const transformation = conditional(transformMessage);
