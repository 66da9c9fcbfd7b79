import type { GuardRequest, HttpReply } from './http.ts';
import { fieldOf } from './http.ts';
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
export async function asked(request: GuardRequest, script: GuardScript): Promise<Asked> {
  const service = SERVICES[script.service];
  const phase = service.phaseAt(request.target.split('?', 1)[0] ?? '', script);
  if (phase === undefined) return refused(404, `nothing is at ${request.target}`);
  if (request.method !== 'POST') return refused(405, `${request.method} is not allowed`);
  const credentials = await service.credentialProblem(request, script);
  if (credentials !== undefined) return refused(401, credentials);
  if (!/^application\/json\b/i.test(fieldOf(request, 'content-type') ?? ''))
    return refused(415, 'not application/json');
  const body = service.body(phase).safeParse(parsed(request.body));
  if (!body.success) return refused(400, body.error.issues.map(({ message }) => message).join('; '));
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
  const { status = 200, headers = {}, gate, giveUp } = reply;
  if (reply.body !== undefined) return { status, headers, body: reply.body };
  const json = reply.json ?? SERVICES[service].verdict(verdictOf(reply, question), question);
  const text = JSON.stringify(json);
  const all = { 'content-type': 'application/json', ...headers };
  return gate === undefined
    ? { status, headers: all, body: text }
    : { status, headers: all, chunks: [{ gate, giveUp }, { text }] };
}

const TEXT = { 'content-type': 'text/plain' };

function refused(status: number, message: string): Asked {
  return { problem: { status, message } };
}

function parsed(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return value;
  } catch {
    return undefined; // no body that any of the services takes
  }
}
