import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { systemClock } from '../../base/clock.ts';
import { TraceFailure } from '../trace-client/trace-failure.ts';
import { decodeKeys, type Key } from './keys.ts';
import type { Size } from './layout.ts';

/** The terminal of the process. */
export interface Terminal {
  readonly size: () => Size;
  readonly write: (text: string) => void;
  /** Keys come one by one and unechoed from here on. */
  readonly take: (listener: TerminalListener) => void;
  /** Undoes `take`. Safe to call at any time. */
  readonly release: () => void;
}

export interface TerminalListener {
  readonly key: (key: Key) => void;
  readonly resized: () => void;
  /** The terminal was closed. */
  readonly gone: () => void;
  /** The process is about to end: put everything back now. */
  readonly killed: () => void;
}

/** Throws a TraceFailure when there is no terminal to show anything on or to read keys from. */
export function openTerminal(stdinIsData: boolean): Terminal {
  const output = process.stdout;
  if (!output.isTTY) throw new TraceFailure('standard output is not a terminal: use --raw');
  const input = stdinIsData ? openControllingTerminal() : process.stdin;
  if (!input.isTTY) throw new TraceFailure('standard input is not a terminal: use --raw');
  let undo: (() => void) | undefined;

  return {
    size: () => ({ rows: output.rows, columns: output.columns }),
    write: (text) => {
      output.write(text);
    },
    take: ({ key, resized, gone, killed }) => {
      const onData = keyListener(key);
      const onSignal = (signal: NodeJS.Signals): void => {
        killed();
        process.kill(process.pid, signal);
      };
      input.setRawMode(true);
      input.on('data', onData).once('end', gone).once('error', gone).resume();
      output.on('resize', resized);
      process.once('exit', killed);
      for (const signal of SIGNALS) process.once(signal, onSignal);
      undo = () => {
        input.off('data', onData).off('end', gone).setRawMode(false).pause();
        if (stdinIsData) input.destroy();
        output.off('resize', resized);
        process.off('exit', killed);
        for (const signal of SIGNALS) process.off(signal, onSignal);
      };
    },
    release: () => {
      undo?.();
      undo = undefined;
    },
  };
}

function openControllingTerminal(): ReadStream {
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    throw new TraceFailure('there is no terminal to read keys from: use --raw');
  }
}

/** A sequence may come in two pieces; an escape that stays alone is the Esc key. */
function keyListener(key: (key: Key) => void): (bytes: Buffer) => void {
  let rest = '';
  let cancelEscape: (() => void) | undefined;
  return (bytes) => {
    cancelEscape?.();
    const decoded = decodeKeys(rest + bytes.toString('latin1'));
    rest = decoded.rest;
    for (const pressed of decoded.keys) key(pressed);
    if (rest === '') return;
    cancelEscape = systemClock.after(ESCAPE_MS, () => {
      if (rest === '\x1b') key('quit');
      rest = '';
    });
  };
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT'];
const ESCAPE_MS = 50;
