import { styleText } from 'node:util';
import type { Paint, Style } from './events.ts';

const FORMATS: Readonly<Record<Style, Parameters<typeof styleText>[0]>> = {
  bad: ['bold', 'red'],
  good: 'green',
  quote: 'italic',
  faint: 'dim',
  command: 'cyan',
};

/** Colours where the stream is a terminal that shows them; NO_COLOR and FORCE_COLOR decide otherwise. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(FORMATS[style], text, { validateStream: true, stream });
}
