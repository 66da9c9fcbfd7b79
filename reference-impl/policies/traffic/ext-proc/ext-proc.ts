import type { ExtProc } from '../../../resources/proxy-policy/fields/ext-proc.ts';
import { conditional } from '../../conditional.ts';
import { prepareRequest, whenReady } from '../../expression-input.ts';
import type { Policy } from '../../policy.ts';
import { compileExtProc, type CompiledExtProc } from './compiled.ts';
import { processRequest } from './request-half.ts';

/** Lets an external processor see and change requests and answers (EXTPROC-001). */
const plain: Policy<ExtProc, CompiledExtProc> = {
  compile: compileExtProc,

  request: (exchange, policy, services) =>
    whenReady(prepareRequest(exchange, policy.request.readsBody), (prepared) =>
      processRequest(prepared, policy, services),
    ),

  response: (exchange, policy, answer) => {
    const process = exchange.handover.processors?.get(policy);
    // EXTPROC-021: a processor that failed open on the request does not see the answer either.
    return process === undefined ? answer : process(exchange, answer);
  },
};

/** `traffic.extProc`, plain or conditional (COND-008). docs/decisions/external-processing.md */
export const extProc = conditional(plain);
