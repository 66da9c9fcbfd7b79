import { jsonReply } from '../http-exchange.ts';
import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { parseJson } from '../json.ts';
import { pathOf } from '../target.ts';
import { onlyValueOf } from '../values-by-name.ts';
import type { GuardReply, GuardScript, ServiceName } from './script.ts';
import { verdictOf, type GuardService, type Problem, type Question } from './service.ts';
import { guardrails } from './services/guardrails.ts';
import { modelGuard } from './services/model-guard.ts';
import { moderation } from './services/moderation.ts';
import { webhook } from './services/webhook.ts';

const SERVICES: Readonly<Record<ServiceName, GuardService>> = {
  webhook,
  moderation,
  guardrails,
  'model-guard': modelGuard,
};

/** A question as the service understands it, or why it does not. */
export type Asked = { readonly question: Question } | { readonly problem: Problem };

/** Checks everything the service would check, in its order. */
export async function readQuestion(request: HttpRequest, script: GuardScript): Promise<Asked> {
  const service = SERVICES[script.service];
  const phase = service.phaseAt(pathOf(request.target), script);
  if (phase === undefined) return refuse(404, `nothing is at ${request.target}`);
  if (request.method !== 'POST') return refuse(405, `${request.method} is not allowed`);
  const credentials = await service.credentialProblem(request, script);
  if (credentials !== undefined) return refuse(401, credentials);
  if (!/^application\/json\b/i.test(onlyValueOf('content-type', request.headers) ?? ''))
    return refuse(415, 'not application/json');
  const body = service.body(phase).safeParse(parseJson(request.body.toString('utf8')));
  if (!body.success) return refuse(400, body.error.issues.map(({ message }) => message).join('; '));
  return { question: service.question(body.data, phase) };
}

/** What the service answers. */
export function answer(reply: GuardReply, what: Asked, script: GuardScript): HttpReply {
  if (reply.fail !== undefined) return { fail: reply.fail };
  if ('problem' in what) {
    const { status, message } = what.problem;
    return { status, headers: TEXT, body: message };
  }
  const fault = reply.fault ?? (script.fault === 'refuse' ? undefined : script.fault);
  return { ...verdict(reply, what.question, script), ...(fault === undefined ? {} : { fault }) };
}

function verdict(reply: GuardReply, question: Question, { service }: GuardScript): HttpReply {
  const { status = 200, headers = {} } = reply;
  if (reply.body !== undefined) return { status, headers, body: reply.body };
  const json = reply.json ?? SERVICES[service].verdict(verdictOf(reply, question), question);
  return jsonReply(JSON.stringify(json), reply);
}

const TEXT = { 'content-type': 'text/plain' };

function refuse(status: number, message: string): Asked {
  return { problem: { status, message } };
}
