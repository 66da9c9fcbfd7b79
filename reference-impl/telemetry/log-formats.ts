/** The forms of an access log. By themselves: the command line names them, and it loads no chapter before one is asked for. */
export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];
