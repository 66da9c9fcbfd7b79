import type { ExtAuthGRPC } from '../../../resources/proxy-policy/fields/ext-auth.ts';
import { grpcClient, grpcTimeout, signalOf } from '../../../upstream/peer-call.ts';
import { Authorization } from '../../../upstream/wire/ext_authz_pb.js';
import { checkRequest } from './check-request.ts';
import { decisionOf } from './check-response.ts';
import type { Asking } from './decision.ts';
import { compileNamed } from './named-programs.ts';

/** Milliseconds a server has for its decision, over either protocol. */
export const PATIENCE = 2000;

/** Asks with one call of `envoy.service.auth.v3.Authorization/Check`. */
export function askGrpc({ contextExtensions = {}, requestMetadata }: ExtAuthGRPC): Asking {
  const metadata = requestMetadata && compileNamed(requestMetadata);
  return {
    programs: (metadata ?? []).map(({ program }) => program),
    // The server names what it fills only when it answers.
    claims: [],
    ask: async (question, server, services) => {
      const client = grpcClient(Authorization, question.exchange, server, services);
      const { signal, release } = signalOf(question.exchange.cancellation);
      try {
        const request = checkRequest(question, contextExtensions, metadata);
        return decisionOf(await client.check(request, { signal, timeoutMs: grpcTimeout(server, PATIENCE) }));
      } finally {
        release();
      }
    },
  };
}
