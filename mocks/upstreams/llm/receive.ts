import type { HttpRequest } from '../../http-exchange.ts';
import { parseJsonObject } from '../../json.ts';
import type { Json } from '../../json.ts';
import { isAt, pathOf } from '../../target.ts';
import { valuesByLowerCaseName } from '../../values-by-name.ts';
import type { LlmFormat, Problem, Spoken } from './formats/format.ts';
import { scriptedSignatureProblem } from './formats/converse/signature.ts';
import type { LlmScript } from './script.ts';

/** A request as the provider understands it. */
export interface Call {
  readonly format: LlmFormat;
  readonly target: string;
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
export async function receive(request: HttpRequest, formats: readonly LlmFormat[], script: LlmScript): Promise<Call> {
  const found = formats.find((format) => isFormatAt(request.target, format, script.path));
  const format = found ?? formats[0];
  if (format === undefined) throw new RangeError('a provider speaks at least one format');
  const text = request.body.toString('utf8');
  const json = parseJsonObject(text);
  const problem = await refusal(request, json, found, script);
  const generous = script.takes === 'anything' ? { stream_options: { include_usage: true } } : {};
  const { target } = request;
  return { format, target, json: { ...json, ...generous }, text, ...modelAndStreaming(request, json, format), problem };
}

async function refusal(
  request: HttpRequest,
  json: Json | undefined,
  found: LlmFormat | undefined,
  script: LlmScript,
): Promise<Problem | undefined> {
  if (script.takes === 'anything') return undefined;
  return found === undefined ? wrongPath(request) : firstProblem(request, json, found, script);
}

async function firstProblem(
  request: HttpRequest,
  json: Json | undefined,
  format: LlmFormat,
  script: LlmScript,
): Promise<Problem | undefined> {
  return (
    wrongMethod(request, format) ??
    format.headerProblem(valuesByLowerCaseName(request.headers), script.key, request.target) ??
    (await wrongSignature(request, format, script)) ??
    (format.reads === undefined ? (wrongType(request, format) ?? wrongBody(json, format, script)) : undefined)
  );
}

function modelAndStreaming({ target }: HttpRequest, json: Json | undefined, { at, reads }: LlmFormat): Spoken {
  const streaming = json?.['stream'] === true;
  return at?.(pathOf(target)) ?? { model: reads?.model ?? modelOf(json), streaming };
}

function modelOf(json: Json | undefined): string {
  const model = json?.['model'];
  return typeof model === 'string' && model !== '' ? model : 'model-mock';
}

function isFormatAt(target: string, { at, path, alsoAt = [] }: LlmFormat, own: string | undefined): boolean {
  if (own !== undefined) return isAt(target, own);
  if (at === undefined) return [path, ...alsoAt].some((place) => isAt(target, place));
  return at(pathOf(target)) !== undefined;
}

/** Only formats that are signed look at it. */
async function wrongSignature(
  request: HttpRequest,
  { at }: LlmFormat,
  { signed }: LlmScript,
): Promise<Problem | undefined> {
  return signed === undefined || at === undefined ? undefined : scriptedSignatureProblem(request, signed);
}

function wrongPath({ method, target }: HttpRequest): Problem {
  return { status: 404, message: `Unknown request URL: ${method} ${target}.`, code: 'unknown_url' };
}

function wrongMethod({ method, target }: HttpRequest, { reads }: LlmFormat): Problem | undefined {
  if (method === (reads === undefined ? 'POST' : 'GET')) return undefined;
  return { status: 405, message: `Not allowed to ${method} on ${target}.`, code: 'method_not_allowed' };
}

function wrongType(request: HttpRequest, { anyType }: LlmFormat): Problem | undefined {
  if (anyType === true) return undefined;
  const type = valuesByLowerCaseName(request.headers)['content-type'];
  if (typeof type === 'string' && /^application\/json\b/i.test(type)) return undefined;
  return { status: 415, message: 'Expected the content type application/json.', code: 'unsupported_content_type' };
}

function wrongBody(json: Json | undefined, { bodyProblem }: LlmFormat, { extra = [] }: LlmScript): Problem | undefined {
  return json === undefined ? NO_JSON : bodyProblem(without(json, extra));
}

const NO_JSON: Problem = { status: 400, message: 'The body of the request is no JSON object.' };

function without(json: Json, members: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !members.includes(name)));
}
