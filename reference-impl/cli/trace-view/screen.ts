import type { ScreenLine, Style } from './render.ts';

/** Writes screens to a terminal, only the lines that changed. */
export interface Screen {
  readonly draw: (lines: readonly ScreenLine[]) => void;
  /** Forgets what is on the terminal: the next screen is written whole. */
  readonly invalidate: () => void;
  /** Gives the terminal back as it was found. Safe to call more than once. */
  readonly close: () => void;
}

/** Takes the terminal over: alternate screen, no cursor, no line wrap. */
export function openScreen(write: (text: string) => void): Screen {
  let shown: readonly string[] = [];
  let open = true;
  write('\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J');
  return {
    draw: (lines) => {
      if (!open) return;
      const wanted = lines.map(({ text, style }) => `${SGR[style]}${text}\x1b[0m`);
      const changes = wanted.flatMap((line, row) => (line === shown[row] ? [] : [`\x1b[${row + 1};1H${line}`]));
      if (changes.length > 0) write(changes.join(''));
      shown = wanted;
    },
    invalidate: () => {
      shown = [];
      if (open) write('\x1b[2J');
    },
    close: () => {
      if (!open) return;
      open = false;
      write('\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l');
    },
  };
}

const SGR: Readonly<Record<Style, string>> = {
  plain: '',
  title: '\x1b[2m',
  focus: '\x1b[1m',
  selected: '\x1b[7m',
  serious: '\x1b[33m',
  added: '\x1b[32m',
  removed: '\x1b[31m',
  status: '\x1b[7m',
};
