/** What the user meant; letters that mean nothing are left out. */
export type Key =
  | 'tab'
  | 'backtab'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageup'
  | 'pagedown'
  | 'home'
  | 'end'
  | 'e'
  | 's'
  | 'd'
  | 'f'
  | 'quit';

/**
 * Decodes what a terminal sends. `rest` is the beginning of a sequence whose end has not come yet: give it back with
 * the next text, or, when nothing more comes, take a lone escape for the Esc key.
 */
export function decodeKeys(text: string): { readonly keys: readonly Key[]; readonly rest: string } {
  const keys: Key[] = [];
  let at = 0;
  while (at < text.length) {
    const [sequence] = SEQUENCE.exec(text.slice(at)) ?? [];
    if (sequence === undefined) return { keys, rest: text.slice(at, at + LONGEST_SEQUENCE) };
    const key = Object.hasOwn(KEYS, sequence) ? KEYS[sequence] : undefined;
    if (key !== undefined) keys.push(key);
    at += sequence.length;
  }
  return { keys, rest: '' };
}

/** A whole control sequence, an escape followed by another character, or one character. */
// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const SEQUENCE = /^(?:\x1b\[[0-9;?]*[@-~]|\x1bO[A-Za-z]|\x1b(?=\x1b)|\x1b[^[O]|[^\x1b])/s;

const LONGEST_SEQUENCE = 32;

const KEYS: Readonly<Record<string, Key>> = {
  '\t': 'tab',
  '\x1b[Z': 'backtab',
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  k: 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  j: 'down',
  '\x1b[D': 'left',
  '\x1bOD': 'left',
  h: 'left',
  '\x1b[C': 'right',
  '\x1bOC': 'right',
  l: 'right',
  '\x1b[5~': 'pageup',
  '\x1b[6~': 'pagedown',
  '\x1b[H': 'home',
  '\x1bOH': 'home',
  '\x1b[1~': 'home',
  '\x1b[F': 'end',
  '\x1bOF': 'end',
  '\x1b[4~': 'end',
  e: 'e',
  s: 's',
  d: 'd',
  f: 'f',
  q: 'quit',
  '\x1b': 'quit',
  '\x03': 'quit',
};
