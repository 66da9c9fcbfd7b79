import type { Body } from '../base/body.ts';
import type { Answer } from './exchange.ts';

/** The bytes behind the head of an answer. None where both sides go on with another protocol: its body only tells when that is over. */
export function bodyBehind({ body, takeOver }: Answer): Body | undefined {
  return takeOver === undefined ? body : undefined;
}
