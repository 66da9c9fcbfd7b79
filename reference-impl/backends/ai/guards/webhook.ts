import { Buffer } from 'node:buffer';
import type { Origin } from '../../../attachment/policies/effective-policy.ts';
import { bytesBody } from '../../../base/read-body.ts';
import { compileOrFail } from '../../../cel/compile.ts';
import type { Program, VariableSource } from '../../../cel/program.ts';
import { asHeaderText } from '../../../cel/results.ts';
import type { Request } from '../../../exchange/exchange.ts';
import { answerVariables, requestVariables } from '../../../exchange/request-state.ts';
import { requestEditor } from '../../../policies/edit-headers.ts';
import type { Webhook } from '../../../resources/proxy-policy/fields/ai/prompt-guard.ts';
import type { PeerRequest } from '../../../upstream/peer-call.ts';
import type { PromptText } from '../formats/format.ts';
import { callGuard } from './call-guard.ts';
import { forwardedHeaders, type ForwardHeaders } from './forwarded-headers.ts';
import { GuardFailure, type Guard, type Phase, type Question } from './guard.ts';
import { webhookVerdict } from './webhook-verdict.ts';

/** A service that judges for the operator: it lets pass, rewrites or rejects (GUARD-025, GUARD-026). docs/decisions/prompt-guard.md */
export function webhook(field: Webhook, origin: Origin): Omit<Guard, 'response'> {
  const { backendRef, failureMode, headers = {}, forwardHeaderMatches = [] } = field;
  const forward = forwardedHeaders(forwardHeaderMatches);
  const own = Object.entries(headers).map(([name, text]) => [name, compileOrFail(text)] as const);
  return {
    failOpen: failureMode === 'FailOpen' ? 'always' : 'never',
    check: async (question) => {
      const server = question.exchange.view.references.backend(backendRef, origin);
      if ('unresolved' in server) throw new GuardFailure(server.message);
      // The status is not looked at: a webhook says everything in its body.
      const { json } = await callGuard(question, server, webhookRequest(question, forward, own));
      return webhookVerdict(json, question);
    },
  };
}

/** One path per phase. */
const PATHS: Readonly<Record<Phase, string>> = { request: '/request', response: '/response' };

type OwnHeader = readonly [name: string, program: Program];

function webhookRequest(question: Question, forward: ForwardHeaders, own: readonly OwnHeader[]): PeerRequest {
  const { phase, texts, exchange } = question;
  const bare: Request = {
    ...exchange.request,
    method: 'POST',
    target: PATHS[phase],
    authority: '',
    headers: forward(question).set('content-type', 'application/json'),
    body: bytesBody(Buffer.from(JSON.stringify({ body: BODIES[phase](texts) }))),
  };
  const variables = variablesOf(question);
  const { method, target, headers, body, authority } = own.reduce((now, one) => withOwn(now, one, variables), bare);
  // The server's own address stands in for an authority that nobody named.
  return { method, target, headers, body, ...(authority === '' ? {} : { authority }) };
}

const BODIES: Readonly<Record<Phase, (texts: readonly PromptText[]) => object>> = {
  request: (texts) => ({ messages: texts.map(message) }),
  response: (texts) => ({ choices: texts.map((text) => ({ message: message(text) })) }),
};

function message({ role, text }: PromptText): object {
  return { role, content: text };
}

function variablesOf({ exchange, answer, llmRequest }: Question): VariableSource {
  const source = answer === undefined ? requestVariables(exchange) : answerVariables(exchange, answer);
  return (root) => (root === 'llmRequest' ? llmRequest : source(root));
}

/** Pseudo-headers that are not the operator's to choose. */
const FIXED = new Set([':method', ':scheme', ':status']);

/** An expression that fails takes the field away. */
function withOwn(request: Request, [name, program]: OwnHeader, variables: VariableSource): Request {
  if (FIXED.has(name.toLowerCase())) return request;
  const value = asHeaderText(program.evaluate(variables));
  return value === undefined ? requestEditor.remove(request, name) : requestEditor.set(request, name, value);
}
