import { endToEnd } from '../../../base/hop-by-hop.ts';
import { compileOrFail } from '../../../cel/compile.ts';
import type { Program } from '../../../cel/program.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import type { ExtAuthHTTP } from '../../../resources/proxy-policy/fields/ext-auth.ts';
import { callHttp } from '../../../upstream/peer-call.ts';
import { bareDenial, type Asking } from './decision.ts';
import { PATIENCE } from './grpc.ts';
import { decide, type AnswerRules } from './http-answer.ts';
import { authorizationRequest, type RequestRules } from './http-request.ts';
import { compileNamed } from './named-programs.ts';

/** Asks with a request of the same method; only status 200 lets the client's request pass (EXTAUTH-020, EXTAUTH-021). */
export function askHttp(fields: ExtAuthHTTP): Asking {
  const policy = compile(fields);
  const { path, body, added, responseHeaders } = policy;
  const expressions = [path, body].filter((program) => program !== undefined);
  return {
    programs: [...expressions, ...added.map(({ program }) => program)],
    claims: responseHeaders,
    ask: async (question, server, services) => {
      const request = authorizationRequest(question, policy);
      if (request === undefined) return bareDenial(false);
      const response = await callHttp(question.exchange, server, request, services, {
        timeout: PATIENCE,
        scope: 'ext_authz',
      });
      const answer: Answer = {
        status: response.status,
        headers: endToEnd(response.headers),
        body: response.body,
        from: 'backend',
      };
      return decide(question, answer, policy);
    },
  };
}

function compile(fields: ExtAuthHTTP): RequestRules & AnswerRules {
  return {
    path: optional(fields.path),
    redirect: optional(fields.redirect),
    body: optional(fields.body),
    // EXTAUTH-014, EXTAUTH-040: a list takes the place of the default.
    requestHeaders: fields.allowedRequestHeaders ?? ['authorization'],
    added: compileNamed(fields.addRequestHeaders),
    responseHeaders: fields.allowedResponseHeaders ?? [],
    metadata: compileNamed(fields.responseMetadata),
  };
}

function optional(text: string | undefined): Program | undefined {
  return text === undefined ? undefined : compileOrFail(text);
}
