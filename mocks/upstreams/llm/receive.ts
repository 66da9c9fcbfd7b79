import type { Headers, Json, LlmFormat, Problem } from './formats/format.ts';
import type { LlmRequest } from './http.ts';
import type { LlmScript } from './script.ts';

/** A request as the provider understands it. */
export interface Call {
  readonly format: LlmFormat;
  /** The body; without members where it is no JSON object. */
  readonly json: Json;
  readonly text: string;
  /** Why the provider refuses it, whatever the script says. */
  readonly problem: Problem | undefined;
}

/** Finds the format by the path and checks everything the provider would check, in its order. */
export function receive(request: LlmRequest, formats: readonly LlmFormat[], script: LlmScript): Call {
  const found = formats.find((format) => isAt(request.target, script.path ?? format.path));
  const format = found ?? formats[0];
  if (format === undefined) throw new RangeError('a provider speaks at least one format');
  const text = request.body.toString('utf8');
  const json = parsed(text);
  const problem =
    (found === undefined ? wrongPath(request) : undefined) ??
    wrongMethod(request) ??
    format.headerProblem(headersOf(request), script.key) ??
    wrongType(request) ??
    (json === undefined ? NO_JSON : format.bodyProblem(without(json, script.extra ?? [])));
  return { format, json: json ?? {}, text, problem };
}

/** A path that names no query takes any: providers do not mind parameters they do not know. */
function isAt(target: string, path: string): boolean {
  return (path.includes('?') ? target : target.split('?', 1)[0]) === path;
}

function wrongPath({ method, target }: LlmRequest): Problem {
  return { status: 404, message: `Unknown request URL: ${method} ${target}.`, code: 'unknown_url' };
}

function wrongMethod({ method, target }: LlmRequest): Problem | undefined {
  if (method === 'POST') return undefined;
  return { status: 405, message: `Not allowed to ${method} on ${target}.`, code: 'method_not_allowed' };
}

function wrongType(request: LlmRequest): Problem | undefined {
  const type = headersOf(request)['content-type'];
  if (typeof type === 'string' && /^application\/json\b/i.test(type)) return undefined;
  return { status: 415, message: 'Expected the content type application/json.', code: 'unsupported_content_type' };
}

const NO_JSON: Problem = { status: 400, message: 'The body of the request is no JSON object.' };

function headersOf({ headers }: LlmRequest): Headers {
  const names = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    names.set(key, [...(names.get(key) ?? []), value]);
  }
  return Object.fromEntries([...names].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]));
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the provider says so
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function without(json: Json, members: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !members.includes(name)));
}
