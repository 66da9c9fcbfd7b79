import { fail } from '../grpc/failures.ts';
import { serveBroken, serveGrpc } from '../grpc/serve.ts';
import { createLedger } from '../ledger.ts';
import type { LedgerWriter } from '../ledger.ts';
import { refuse } from '../listen.ts';
import type { Bound } from '../listen.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { DEFAULT_GIVE_UP, durationMs } from '../script.ts';
import { RateLimitService } from '../wire/gen/rls_pb.js';
import type { RateLimitRequest, RateLimitResponse } from '../wire/gen/rls_pb.js';
import { toResponse } from './answer.ts';
import { createChooser } from './choose-reply.ts';
import { memoryCounters } from './counters.ts';
import type { Counters } from './counters.ts';
import { decide } from './decide.ts';
import { recordCall } from './entry.ts';
import type { Asked, OpenCall } from './entry.ts';
import { redisCounters } from './redis.ts';
import type { Limit, RateLimitScript, Reply } from './script.ts';

/** Starts a rate limit server that counts, or says what its script says. Rejects when its port cannot be bound. */
export async function startRateLimitMock(script: RateLimitScript, options: MockOptions): Promise<Mock> {
  if (script.fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  const where = { ...options, tls: script.tls };
  if (script.fault !== undefined) return toMock(await serveBroken(script.fault, where, ledger), ledger);

  const counters = script.redis === undefined ? memoryCounters() : await redisCounters(script.redis);
  const { limits = [] } = script;
  const serving: Serving = { choose: createChooser(script), limits, counters, ledger, options };
  const bound = await serveGrpc<OpenCall>(
    {
      open: (call) => recordCall(call, ledger),
      routes: (router, callOf) =>
        router.service(RateLimitService, {
          shouldRateLimit: (request, context) => answer(request, callOf(context), serving),
        }),
    },
    where,
    ledger,
  );
  return toMock(bound, ledger, counters.close);
}

interface Serving {
  readonly choose: (asked: Asked) => Reply;
  readonly limits: readonly Limit[];
  readonly counters: Counters;
  readonly ledger: LedgerWriter;
  readonly options: MockOptions;
}

async function answer(request: RateLimitRequest, open: OpenCall, serving: Serving): Promise<RateLimitResponse> {
  const { choose, limits, counters, ledger, options } = serving;
  const asked = open.arrived(request);
  const reply = choose(asked);
  const { gate, giveUp = DEFAULT_GIVE_UP } = reply;
  if (gate !== undefined) await Promise.race([options.gates.wait(gate, durationMs(giveUp)), open.call.over()]);
  await fail(reply, open.call, (reason) => {
    ledger.fail(`peer ${options.name} was asked about ${asked.domain}: ${reason}`);
  });
  return toResponse(reply, await decide(asked, limits, counters));
}

function toMock({ close, ...address }: Bound, ledger: LedgerWriter, ended = (): void => {}): Mock {
  return {
    kind: 'ratelimit',
    ...address,
    ledger,
    stop: async () => {
      await close();
      ended();
    },
  };
}
