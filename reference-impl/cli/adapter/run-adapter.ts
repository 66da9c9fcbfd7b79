import type { Readable, Writable } from 'node:stream';
import { answer } from './answer.ts';

/** Longest request; a line that grows beyond it ends the session. */
const MAX_LINE = 64 * 1024 * 1024;

/**
 * Answers requests, one JSON object per line, in the order they come, until the input ends or `stop` was answered.
 * Returns the exit code.
 */
export async function runAdapter(input: Readable, output: Writable, problems: Writable): Promise<number> {
  let unfinished: string[] = [];
  let length = 0;
  input.setEncoding('utf8');
  for await (const chunk of input) {
    const [head = '', ...rest] = String(chunk).split('\n');
    unfinished.push(head);
    length += head.length;
    if (length > MAX_LINE) {
      problems.write(`adapter: a request is longer than ${MAX_LINE} characters\n`);
      return 1;
    }
    if (rest.length === 0) continue;
    const lines = [unfinished.join(''), ...rest];
    unfinished = lines.splice(-1);
    length = unfinished.join('').length;
    for (const line of lines.filter((text) => text.trim() !== '')) {
      const request = parse(line);
      output.write(`${JSON.stringify(request === undefined ? NOT_JSON : answer(request.value))}\n`);
      if (isStop(request?.value)) return 0;
    }
  }
  return 0;
}

const NOT_JSON = { error: { message: 'a request is one JSON object on one line' } };

function parse(line: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) as unknown };
  } catch {
    // The text is not ours to trust: an answer says so.
    return undefined;
  }
}

function isStop(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'cmd' in request && request.cmd === 'stop';
}
