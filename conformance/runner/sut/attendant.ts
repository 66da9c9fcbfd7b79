import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { letPass } from './time/fair-time.ts';

/** Somebody who has the implementation under a debugger, or gives it its configuration by hand. Nothing is late while they are there. */
export interface Attendant {
  /** Tells what is waited for. */
  readonly say: (...lines: readonly string[]) => void;
  /** True when nobody attends any more: nothing is waited for then. */
  readonly left: () => boolean;
  /** Ends it: nobody is asked any more. May be called twice. */
  readonly leave: () => void;
}

/** In the place of every limit, in milliseconds. Whoever is away for longer than a day comes back to a red step. */
export const UNLIMITED_MS = 86_400_000;
/** What is shorter is no limit of a run but of something small, such as one look at the canary. */
const SPARED_MS = UNLIMITED_MS / 2;

/** Where an attendant reads and writes: the terminal, and in tests anything else. */
export interface Terminal {
  readonly input: Readable;
  readonly write: (text: string) => void;
}

/** Listens for Enter, which ends the wait of that moment as if its limit had passed, until the run is stopped. */
export function attend(stop: AbortSignal, { input, write }: Terminal): Attendant {
  const lines = createInterface({ input });
  lines.on('line', () => letPass(UNLIMITED_MS, SPARED_MS));
  let away = false;
  const leave = (): void => {
    if (away) return;
    away = true;
    lines.close();
    letPass(UNLIMITED_MS, SPARED_MS);
  };
  stop.addEventListener('abort', leave, { once: true });
  return {
    say: (...said) => write(`${said.join('\n')}\n`),
    left: () => away,
    leave,
  };
}
