import { Buffer } from 'node:buffer';
import type { Asked } from '../asked.ts';
import { isJson } from '../../json.ts';
import type { Request, Response } from '../message.ts';
import { askGuard } from './ask-guard.ts';
import { guardsOf } from './guard.ts';
import { metadataFor } from './metadata.ts';
import { serviceNames } from './service-names.ts';

/**
 * GUARDMCP-003, GUARDMCP-004, GUARDMCP-012: asks the guards about the result of a request, one after the other; what the
 * first that rejects it says takes its place (GUARDMCP-013). An error of a server holds no result.
 */
export async function guardOutcome(
  asked: Asked,
  request: Request,
  outcome: Response['outcome'],
): Promise<Response['outcome']> {
  if ('error' in outcome || !isJson(outcome.result)) return outcome;
  let { result } = outcome;
  for (const guard of guardsOf(asked.exchange.backend.policies)) {
    if (!CHECKED.has(guard.phaseOf(request.method))) continue;
    const question = {
      serviceNames: serviceNames(asked, request),
      method: request.method,
      metadataContext: metadataFor(asked, guard),
      mcpResponse: Buffer.from(JSON.stringify(result)),
    };
    const verdict = await askGuard(asked, guard, 'response', (client, options) =>
      client.checkResponse(question, options),
    );
    if (verdict === undefined) continue;
    if ('error' in verdict) return verdict;
    result = verdict.mutated ?? result;
  }
  return { result };
}

const CHECKED: ReadonlySet<string> = new Set(['Response', 'Full']);
