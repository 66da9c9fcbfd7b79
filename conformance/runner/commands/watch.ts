import type { Command } from 'commander';
import { watchSuite } from '../watch/watch.ts';
import { reportFault } from './fault.ts';
import { interruptSignal } from './interrupt.ts';
import { collect, natural, positive } from './options.ts';
import { defaultManifest } from './run.ts';
import { addChoosingOptions, toSelection, type SelectionOptions } from './selection-options.ts';

interface WatchFlags extends SelectionOptions {
  readonly impl?: string;
  readonly cases?: string;
  readonly watch: readonly string[];
  readonly workers?: number;
  readonly seed?: number;
  readonly dialect?: string;
  readonly known?: string | false;
  readonly verbose?: true;
  readonly repeat?: number;
  readonly out: string;
}

/** Adds `conform watch`. */
export function addWatchCommand(program: Command): void {
  const command = program
    .command('watch')
    .description('run cases, and again what a saved case, clause, manifest or implementation file touches')
    .argument(
      '[pattern...]',
      'a folder or file of cases, the name of a suite, or a glob over case ids; all cases when absent',
    )
    .option('--impl <file>', 'implementation.yaml of the implementation')
    .option('--cases <path>', 'folder of case files, or one of them, instead of those of this package')
    .option(
      '--watch <path>',
      'a folder or file of the implementation, instead of the folder of its manifest (repeatable)',
      collect,
      [],
    )
    .option('--repeat <n>', 'run everything so many times', positive)
    .option('--seed <n>', 'order of the cases', natural)
    .option('--workers <n>', 'cases at the same time', positive)
    .option('--dialect <file>', 'names the implementation uses instead of the canonical ones')
    .option('--known <file>', 'list of known failures instead of the one that the manifest names')
    .option('--no-known', 'no list of known failures: every case as it comes out')
    .option('--out <folder>', 'where reports go', 'reports/watch')
    .option('--verbose', 'print every case')
    .addHelpText(
      'after',
      '\nOn a terminal q ends it and Enter runs everything that was chosen. Ctrl-C ends it anywhere.',
    );
  addChoosingOptions(command).action(async (patterns: readonly string[], flags: WatchFlags) => {
    process.exitCode = await watchWith(patterns, flags);
  });
}

async function watchWith(patterns: readonly string[], flags: WatchFlags): Promise<number> {
  const seen = new AbortController();
  const stop = AbortSignal.any([interruptSignal(), seen.signal]);
  const keys = listenToKeys(() => seen.abort('q was typed'));
  try {
    await watchSuite({
      manifestFile: flags.impl ?? defaultManifest(),
      cases: flags.cases,
      dialect: flags.dialect,
      known: flags.known,
      out: flags.out,
      watch: flags.watch,
      selection: toSelection(patterns, flags),
      call: {
        patterns,
        options: [...argumentsOf(flags, OPTIONS), '--provisional', '--no-regressions'],
        choosing: argumentsOf(flags, CHOOSING),
        out: flags.out,
        print,
        colours: process.stdout.isTTY && process.stdout.hasColors(),
      },
      say: print,
      onReady: keys.onEnter,
      stop,
    });
    return 0;
  } catch (error) {
    return reportFault(error);
  } finally {
    keys.close();
  }
}

/** Options of `conform run` that are handed on, by the name that commander gives them. */
const OPTIONS = ['impl', 'cases', 'repeat', 'seed', 'workers', 'dialect', 'known', 'verbose'] as const;
const CHOOSING = ['clause', 'area', 'level', 'layer', 'feature', 'skip'] as const;

function argumentsOf(flags: WatchFlags, names: readonly (keyof WatchFlags)[]): readonly string[] {
  return names.flatMap((name) => {
    const value = flags[name];
    if (value === undefined) return [];
    if (value === true) return [`--${name}`];
    if (value === false) return [`--no-${name}`];
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => [`--${name}`, String(one)]);
  });
}

interface Keys {
  readonly onEnter: (listener: () => void) => void;
  readonly close: () => void;
}

const CTRL_C = '\u0003';

/** Keys of a terminal. Anything else at standard input is left alone: nobody types there. */
function listenToKeys(end: () => void): Keys {
  const { stdin } = process;
  if (!stdin.isTTY) return NO_KEYS;
  let enter = nothing;
  const read = (text: Buffer): void => {
    const keys = text.toString('utf8');
    if (keys.includes('q') || keys.includes(CTRL_C)) end();
    else if (/[\r\n]/.test(keys)) enter();
  };
  stdin.setRawMode(true).on('data', read);
  return {
    onEnter: (listener) => {
      enter = listener;
    },
    close: () => {
      stdin.off('data', read).setRawMode(false).pause();
    },
  };
}

const NO_KEYS: Keys = { onEnter: () => {}, close: () => {} };

function nothing(): void {}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
