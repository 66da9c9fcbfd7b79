/** A server-sent event, its blank line included. */
export function writeSse(data: string, name?: string): Uint8Array {
  const named = name === undefined ? '' : `event: ${name.replaceAll(/[\r\n]/g, ' ')}\n`;
  const lines = data.split(LINE_END).map((line) => `data: ${line}\n`);
  return ENCODER.encode(`${named}${lines.join('')}\n`);
}

/** Whichever way a line of a stream ends. */
export const LINE_END = /\r\n|\r|\n/;

const ENCODER = new TextEncoder();
