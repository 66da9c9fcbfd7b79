import { z } from 'zod';
import type { GuardService, Phase } from '../service.ts';

const message = z.strictObject({ role: z.string(), content: z.string() });
const request = z.strictObject({ body: z.strictObject({ messages: z.array(message).min(1) }) });
const response = z.strictObject({
  body: z.strictObject({ choices: z.array(z.strictObject({ message })).min(1) }),
});

const PATHS: Readonly<Record<string, Phase>> = { '/request': 'request', '/response': 'response' };

/** The contract of docs/decisions/prompt-guard.md. */
export const webhook: GuardService = {
  phaseAt: (path, script) => (script.path === undefined ? PATHS[path] : path === script.path ? 'either' : undefined),
  credentialProblem: async () => undefined,
  body: (phase) => ({ request, response, either: z.union([request, response]) })[phase],
  question: (body) => {
    const asked = request.safeParse(body);
    const messages = asked.success
      ? asked.data.body.messages
      : response.parse(body).body.choices.map((choice) => choice.message);
    return {
      phase: asked.success ? 'request' : 'response',
      texts: messages.map(({ content }) => content),
      roles: messages.map(({ role }) => role),
    };
  },
  verdict: (verdict, { phase, roles }) => {
    if (verdict.kind === 'pass') return { action: { reason: 'nothing to object to' } };
    if (verdict.kind === 'reject') {
      return { action: { body: verdict.message, status_code: verdict.status, reason: 'scripted' } };
    }
    const messages = verdict.texts.map((content, index) => ({ role: roles[index] ?? 'user', content }));
    const body = phase === 'request' ? { messages } : { choices: messages.map((one) => ({ message: one })) };
    return { action: { body, reason: 'scripted' } };
  },
};
