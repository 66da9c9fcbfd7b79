import { rfc3339 } from '../base/clock.ts';
import { jsonText } from '../cel/results.ts';
import type { Attribute, AttributeValue } from './attributes.ts';

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** LOG-015: one entry as a line, with its newline. docs/decisions/telemetry.md */
export function logLine(format: LogFormat, wall: number, attributes: readonly Attribute[]): string {
  const time = rfc3339(wall);
  if (format === 'json') {
    return `${jsonText({ level: 'info', time, scope: 'request', ...Object.fromEntries(attributes) })}\n`;
  }
  return `${time}\tinfo\trequest ${attributes.map(([name, value]) => `${name}=${textValue(value)}`).join(' ')}\n`;
}

/** A word as it is; what could be taken for something else is quoted, so that no value can pretend to be a field or a line. */
function textValue(value: AttributeValue): string {
  if (typeof value === 'string') return WORD.test(value) ? value : JSON.stringify(value);
  return typeof value === 'object' ? jsonText(value) : String(value);
}

const WORD = /^[!#-<>-~]+$/;
