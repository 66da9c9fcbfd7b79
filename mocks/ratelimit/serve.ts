import { fail } from '../grpc/failures.ts';
import { recordCall } from '../grpc/record-call.ts';
import { startGrpcMock } from '../grpc/start.ts';
import { waitAtGate } from '../grpc/wait-at-gate.ts';
import type { LedgerWriter } from '../ledger.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { RateLimitService } from '../wire/gen/rls_pb.js';
import type { RateLimitRequest, RateLimitResponse } from '../wire/gen/rls_pb.js';
import { toResponse } from './answer.ts';
import { readQuestion } from './asked.ts';
import type { Asked, OpenQuestion } from './asked.ts';
import { createChooser } from './choose-reply.ts';
import { memoryCounters } from './counters.ts';
import type { Counters } from './counters.ts';
import { decide } from './decide.ts';
import { redisCounters } from './redis.ts';
import type { Limit, RateLimitScript, Reply } from './script.ts';

/** Starts a rate limit server that counts, or says what its script says. Rejects when its port cannot be bound. */
export function startRateLimitMock(script: RateLimitScript, options: MockOptions): Promise<Mock> {
  return startGrpcMock<OpenQuestion>(script, options, async (ledger) => {
    const counters = script.redis === undefined ? memoryCounters() : await redisCounters(script.redis);
    const { limits = [] } = script;
    const serving: Serving = { choose: createChooser(script), limits, counters, ledger, options };
    return {
      open: (call) => recordCall(call, ledger, readQuestion),
      routes: (router, callOf) =>
        router.service(RateLimitService, {
          shouldRateLimit: (request, context) => answer(request, callOf(context), serving),
        }),
      onStop: counters.close,
    };
  });
}

interface Serving {
  readonly choose: (asked: Asked) => Reply;
  readonly limits: readonly Limit[];
  readonly counters: Counters;
  readonly ledger: LedgerWriter;
  readonly options: MockOptions;
}

async function answer(request: RateLimitRequest, open: OpenQuestion, serving: Serving): Promise<RateLimitResponse> {
  const { choose, limits, counters, ledger, options } = serving;
  const asked = open.receive(request);
  const reply = choose(asked);
  await waitAtGate(reply, open.call, options.gates);
  await fail(reply, open.call, (reason) => {
    ledger.fail(`peer ${options.name} was asked about ${asked.domain}: ${reason}`);
  });
  return toResponse(reply, await decide(asked, limits, counters));
}
