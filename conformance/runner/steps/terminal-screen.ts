import type { Terminal } from '@xterm/headless';
import type { Key } from './background.ts';

export const COLUMNS = 120;
export const ROWS = 60;

/** What a terminal shows, as data. */
export interface Screen {
  /** Feeds what the program printed; resolves when it is on the screen. */
  readonly show: (bytes: Uint8Array) => Promise<void>;
  /** The rows, without blanks at their ends. */
  readonly lines: () => readonly string[];
  /** The rows with colours and emphasis: equal only for screens that look the same. */
  readonly look: () => string;
  /** The bytes a keyboard sends for a key in the terminal's present mode. */
  readonly bytesOf: (key: Key) => string;
}

/** A terminal of that many rows; `answer` sends what it replies to a program that asks it something. */
export async function openScreen(height: number, answer: (text: string) => void): Promise<Screen> {
  const { default: xterm } = await import('@xterm/headless');
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: height, scrollback: 0, allowProposedApi: true });
  terminal.onData(answer);
  return {
    show: async (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    lines: () => rows(terminal).map((row) => row.text),
    look: () => JSON.stringify(rows(terminal)),
    bytesOf: (key) => keyBytes(key, terminal.modes.applicationCursorKeysMode),
  };
}

interface Row {
  readonly text: string;
  /** Where the style changes, and to what. */
  readonly styles: readonly string[];
}

function rows(terminal: Terminal): readonly Row[] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, index) => {
    const line = active.getLine(active.baseY + index);
    const styles: string[] = [];
    let last = '';
    for (let column = 0; column < terminal.cols; column++) {
      const cell = line?.getCell(column);
      const style = `${cell?.getFgColor()},${cell?.getBgColor()},${cell?.isBold()},${cell?.isInverse()},${cell?.isUnderline()},${cell?.isDim()}`;
      if (style !== last) styles.push(`${column}:${style}`);
      last = style;
    }
    return { text: (line?.translateToString(true) ?? '').trimEnd(), styles };
  });
}

function keyBytes(key: Key, application: boolean): string {
  if (typeof key === 'string') return one(key, application);
  return Object.entries(key)
    .map(([name, times]) => one(name, application).repeat(times))
    .join('');
}

function one(name: string, application: boolean): string {
  const cursor = CURSOR[name];
  return cursor === undefined ? (NAMED[name] ?? name) : `\x1b${application ? 'O' : '['}${cursor}`;
}

const CURSOR: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' };
const NAMED: Readonly<Record<string, string>> = {
  tab: '\t',
  backtab: '\x1b[Z',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  enter: '\r',
  escape: '\x1b',
};
