import { rfc3339, type Clock } from './clock.ts';

/** The program's own log: one JSON object per line. Never given a secret or a body. */
export interface Log {
  readonly debug: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
}

export type LogFields = Readonly<Record<string, unknown>>;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** From the least to the most important. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Writes `{"time","level","message",…fields}` and a newline through `write`, for messages of `least` level or above. */
export function createLog(write: (line: string) => void, clock: Clock, least: LogLevel = 'info'): Log {
  const at = (level: LogLevel): Log['info'] => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return () => {};
    return (message, fields) => {
      write(`${JSON.stringify({ time: rfc3339(clock.wall()), level, message, ...fields })}\n`);
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A failure as log fields: its text, its stack and where it came from. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { error: error.message, stack: error.stack, ...cause };
}
