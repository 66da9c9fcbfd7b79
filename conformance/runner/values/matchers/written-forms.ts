import { AuthoringError } from '../authoring-error.ts';
import type { Matcher } from './matcher.ts';

// Interpolation resolves both before anything is compared; they are listed so that the lint knows them.
export const conditional: Matcher = {
  name: '~if',
  text: 'the entry counts only when this value is not false, null, 0 or empty; everything beside it is the entry',
  check: ({ context }) => throwUnresolved('~if', context.at),
};

export const filler: Matcher = {
  name: '~fill',
  text: 'a text of this many bytes, made of `with` (default x)',
  modifiers: ['with'],
  check: ({ context }) => throwUnresolved('~fill', context.at),
};

function throwUnresolved(name: string, at: AuthoringError['at']): never {
  throw new AuthoringError(`${name} was not resolved before the comparison`, at);
}
