import type { Observation, OnRule, StepContext } from './step.ts';

const BODY_LIMIT = 64 * 1024 * 1024;

/** The head of an answer; one of HTTP/2 has no message. */
export interface Head {
  readonly rawHeaders: readonly string[];
  readonly statusCode?: number | undefined;
  readonly statusMessage?: string | undefined;
}

/** Collects an answer while it comes in and opens the gates its step asks for. */
export interface Receiver {
  readonly informational: (status: number) => void;
  readonly head: (answer: Head) => void;
  readonly chunk: (bytes: Buffer) => void;
  readonly end: (complete: boolean, trailers: Readonly<Record<string, unknown>>) => void;
  readonly observation: (method: string) => Observation;
  readonly summary: () => string;
}

/** A receiver for one answer. */
export function receiver(context: Pick<StepContext, 'on' | 'peers' | 'timeline'>): Receiver {
  const early: number[] = [];
  const parts: Buffer[] = [];
  let answer: Head | undefined;
  let ended: { readonly complete: boolean; readonly trailers: Readonly<Record<string, unknown>> } | undefined;
  let size = 0;
  const progress = gateOpener(context.on, (gate) => {
    context.timeline.add('client', `opens gate ${gate}`);
    context.peers.gates.open(gate);
  });
  return {
    informational: (status) => void early.push(status),
    head: (head) => {
      answer = head;
      progress.head();
    },
    chunk: (bytes) => {
      if (bytes.length === 0) return;
      size += bytes.length;
      if (size <= BODY_LIMIT) parts.push(bytes);
      progress.chunk(bytes);
    },
    end: (complete, trailers) => {
      ended = { complete, trailers };
    },
    observation: () => ({
      ...(answer === undefined ? {} : describeHead(answer)),
      ...(answer === undefined ? {} : describeBody(Buffer.concat(parts), size)),
      ...(early.length === 0 ? {} : { informational: early }),
      trailers: ended?.trailers ?? {},
      complete: ended?.complete ?? false,
      gates: context.peers.gates.outcomes(),
    }),
    summary: () => (answer === undefined ? 'no answer' : `${answer.statusCode ?? 0} ${size} bytes`),
  };
}

/** Header pairs as a lower-case object; several lines of one name become a list. */
export function headerObject(
  pairs: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, string | readonly string[]>> {
  const headers = new Map<string, string | readonly string[]>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    const known = headers.get(key);
    headers.set(key, known === undefined ? value : [...(typeof known === 'string' ? [known] : known), value]);
  }
  return Object.fromEntries(headers);
}

/** `body` as text, `base64` for bytes that are no text, `bytes` as their number, and `json` where the text is JSON. */
export function describeBody(body: Buffer, size = body.length): Observation {
  const text = body.toString('utf8');
  const json = parseJson(text);
  return {
    body: text,
    base64: body.toString('base64'),
    bytes: size,
    ...(json === undefined ? {} : { json: json.value }),
  };
}

function describeHead(answer: Head): Observation {
  const pairs = answer.rawHeaders.flatMap((name, index, all): (readonly [string, string])[] =>
    index % 2 === 0 ? [[name, all[index + 1] ?? '']] : [],
  );
  return {
    status: answer.statusCode ?? 0,
    reason: answer.statusMessage ?? '',
    headers: headerObject(pairs),
    rawHeaders: pairs,
  };
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function gateOpener(
  rules: readonly OnRule[],
  open: (gate: string) => void,
): { head: () => void; chunk: (bytes: Buffer) => void } {
  const waiting = new Set(rules);
  let chunks = 0;
  let text = '';
  const check = (holds: (rule: OnRule) => boolean): void => {
    for (const rule of waiting) {
      if (!holds(rule)) continue;
      waiting.delete(rule);
      open(rule.open);
    }
  };
  return {
    head: () => check((rule) => rule.head === true),
    chunk: (bytes) => {
      if (waiting.size === 0) return;
      chunks += 1;
      text += bytes.toString('latin1');
      const events = text.split(/\r?\n\r?\n/).length - 1;
      check(
        (rule) =>
          (rule.chunk ?? Infinity) <= chunks ||
          (rule.event ?? Infinity) <= events ||
          (rule.text !== undefined && text.includes(rule.text)),
      );
    },
  };
}
