import type { Headers, Json, LlmFormat, Problem } from './formats/format.ts';
import { signatureProblem } from './formats/converse/signature.ts';
import type { LlmRequest } from './http.ts';
import type { LlmScript } from './script.ts';

/** A request as the provider understands it. */
export interface Call {
  readonly format: LlmFormat;
  /** The body; without members where it is no JSON object. */
  readonly json: Json;
  readonly text: string;
  /** The model that is asked for, and whether for a stream; by the body, or by the path where the format has it there. */
  readonly model: string;
  readonly streaming: boolean;
  /** Why the provider refuses it, whatever the script says. */
  readonly problem: Problem | undefined;
}

/** Finds the format by the path and checks everything the provider would check, in its order. */
export async function receive(request: LlmRequest, formats: readonly LlmFormat[], script: LlmScript): Promise<Call> {
  const found = formats.find((format) => isFormatAt(request.target, format, script.path));
  const format = found ?? formats[0];
  if (format === undefined) throw new RangeError('a provider speaks at least one format');
  const text = request.body.toString('utf8');
  const json = parsed(text);
  const problem =
    (found === undefined ? wrongPath(request) : undefined) ??
    wrongMethod(request, format) ??
    format.targetProblem?.(request.target) ??
    format.headerProblem(headersOf(request), script.key) ??
    (await wrongSignature(request, format, script)) ??
    (format.reads === undefined ? (wrongType(request) ?? wrongBody(json, format, script)) : undefined);
  const { model, streaming } = format.at?.(pathOf(request.target)) ?? {
    model: format.reads?.model ?? String(json?.['model']),
    streaming: json?.['stream'] === true,
  };
  return { format, json: json ?? {}, text, model, streaming, problem };
}

function isFormatAt(target: string, { at, path, alsoAt = [] }: LlmFormat, own: string | undefined): boolean {
  if (own !== undefined) return isAt(target, own);
  if (at === undefined) return [path, ...alsoAt].some((place) => isAt(target, place));
  return at(pathOf(target)) !== undefined;
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/** Only formats that are signed look at it. */
async function wrongSignature(
  request: LlmRequest,
  { at }: LlmFormat,
  { signed }: LlmScript,
): Promise<Problem | undefined> {
  return signed === undefined || at === undefined ? undefined : signatureProblem(request, signed);
}

/** A path that names no query takes any: providers do not mind parameters they do not know. */
function isAt(target: string, path: string): boolean {
  return (path.includes('?') ? target : target.split('?', 1)[0]) === path;
}

function wrongPath({ method, target }: LlmRequest): Problem {
  return { status: 404, message: `Unknown request URL: ${method} ${target}.`, code: 'unknown_url' };
}

function wrongMethod({ method, target }: LlmRequest, { reads }: LlmFormat): Problem | undefined {
  if (method === (reads === undefined ? 'POST' : 'GET')) return undefined;
  return { status: 405, message: `Not allowed to ${method} on ${target}.`, code: 'method_not_allowed' };
}

function wrongType(request: LlmRequest): Problem | undefined {
  const type = headersOf(request)['content-type'];
  if (typeof type === 'string' && /^application\/json\b/i.test(type)) return undefined;
  return { status: 415, message: 'Expected the content type application/json.', code: 'unsupported_content_type' };
}

function wrongBody(json: Json | undefined, { bodyProblem }: LlmFormat, { extra = [] }: LlmScript): Problem | undefined {
  return json === undefined ? NO_JSON : bodyProblem(without(json, extra));
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
