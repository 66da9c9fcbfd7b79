import type { Writable } from 'node:stream';

/**
 * CLI-004 and CLI-010: writes every payload unchanged on a line of its own. A reader that went away, such as `head`,
 * calls `gone` once; writing to it afterwards does nothing.
 */
export function createRawPrinter(output: Writable, gone: () => void): (payload: string) => Promise<void> {
  let open = true;
  output.once('error', () => {
    open = false;
    gone();
  });
  return (payload) =>
    new Promise((resolve) => {
      if (!open) resolve();
      else
        output.write(`${payload}\n`, () => {
          resolve();
        });
    });
}
