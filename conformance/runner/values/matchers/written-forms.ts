import { AuthoringError } from '../authoring-error.ts';
import type { Matcher } from './matcher.ts';

// Interpolation resolves them before anything is compared; they are listed so that the lint knows them.
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

export const list: Matcher = {
  name: '~list',
  text: 'this many items as `of` says, in a list among the others; `${list.number}` counts them from 1',
  modifiers: ['of'],
  check: ({ context }) => throwUnresolved('~list', context.at),
};

export const members: Matcher = {
  name: '~members',
  text: 'an object with the members of `of` this many times, beside those written with it; `${list.number}` counts from 1',
  modifiers: ['of'],
  check: ({ context }) => throwUnresolved('~members', context.at),
};

function throwUnresolved(name: string, at: AuthoringError['at']): never {
  throw new AuthoringError(`${name} was not resolved before the comparison`, at);
}
