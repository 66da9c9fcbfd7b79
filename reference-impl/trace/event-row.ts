import { objectMember, stringMember } from '../base/members.ts';

/** One event as a list shows it, in the terminal and on the page. */
export interface EventRow {
  /** The `type` of the message (TRACE-021), or `unreadable`. */
  readonly type: string;
  /** At most 120 characters, control characters included as they came. */
  readonly summary: string;
  readonly serious: boolean;
  /** The parsed event, or the text when it is no JSON. */
  readonly event: unknown;
  /** Present on snapshots: the state they hold. */
  readonly state: unknown;
}

/** TRACE-012: an unknown type, or members that are missing, make a plainer row, never an error. */
export function eventRow(payload: string): EventRow {
  const event = parse(payload);
  const message = objectMember(event, 'message');
  const type = stringMember(message, 'type') ?? 'unreadable';
  const summarize = Object.hasOwn(SUMMARIES, type) ? SUMMARIES[type] : undefined;
  const severity = stringMember(event, 'severity');
  return {
    type,
    summary: `${scopeOf(event)}${summarize?.(message) ?? ''}`.slice(0, LONGEST_SUMMARY),
    serious: severity === 'warn' || severity === 'error',
    event,
    state: objectMember(message, 'requestState'),
  };
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

const LONGEST_SUMMARY = 120;

const SUMMARIES: Readonly<Record<string, (message: unknown) => string>> = {
  requestSnapshot: (message) => {
    const request = objectMember(objectMember(message, 'requestState'), 'request');
    return `${text(message, 'stage')}: ${text(request, 'method')} ${text(request, 'uri')}`;
  },
  responseSnapshot: (message) => {
    const response = objectMember(objectMember(message, 'requestState'), 'response');
    return `${text(message, 'stage')}: ${text(response, 'code')}`;
  },
  bodySnapshot: (message) => `${text(message, 'stage')}: ${decodedLength(text(message, 'body'))} bytes`,
  routeSelection: (message) => {
    const selected = stringMember(message, 'selectedRoute');
    const evaluated = objectMember(message, 'evaluatedRoutes');
    const count = Array.isArray(evaluated) ? evaluated.length : 0;
    return `${selected === undefined ? 'no route selected' : `selected ${selected}`} (${count} evaluated)`;
  },
  policySelection: (message) => {
    const policy = objectMember(message, 'effectivePolicy');
    const fields = typeof policy === 'object' && policy !== null ? Object.keys(policy) : [];
    return `${text(message, 'phase')} effective policies: ${fields.length === 0 ? 'none' : fields.join(', ')}`;
  },
  authorizationResult: (message) => text(message, 'result'),
  policy: (message) => {
    const result = objectMember(message, 'result');
    const said = stringMember(result, 'reason') ?? text(result, 'details');
    return `${text(message, 'kind')} ${text(result, 'type')}: ${said}`;
  },
  backendCallStart: (message) => text(message, 'target'),
  backendCallResult: (message) => {
    const error = stringMember(message, 'error');
    return error === undefined ? `status ${text(message, 'status')}` : `failed: ${error}`;
  },
};

/** Calls of policies and mirrors are told apart from the call of the request itself. */
function scopeOf(event: unknown): string {
  const scope = objectMember(event, 'scope');
  return Array.isArray(scope) && scope.length > 0 ? `[${scope.join(' ')}] ` : '';
}

function text(value: unknown, name: string): string {
  const member = objectMember(value, name);
  return typeof member === 'string' || typeof member === 'number' ? String(member) : '';
}

/** Four characters stand for three bytes, less one for each `=` at the end. */
function decodedLength(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}
