import { fail } from '../grpc/failures.ts';
import { serveBroken, serveGrpc } from '../grpc/serve.ts';
import { createLedger } from '../ledger.ts';
import type { LedgerWriter } from '../ledger.ts';
import { refuse } from '../listen.ts';
import type { Bound } from '../listen.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { DEFAULT_GIVE_UP, durationMs } from '../script.ts';
import { Authorization } from '../wire/gen/ext_authz_pb.js';
import type { CheckRequest, CheckResponse } from '../wire/gen/ext_authz_pb.js';
import { toResponse } from './answer.ts';
import { createChooser } from './choose-reply.ts';
import { recordCall } from './entry.ts';
import type { Checked, OpenCall } from './entry.ts';
import type { ExtAuthScript, Reply } from './script.ts';

/** Starts a scripted authorization server. Rejects when its port cannot be bound. */
export async function startExtAuthMock(script: ExtAuthScript, options: MockOptions): Promise<Mock> {
  if (script.fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  const where = { ...options, tls: script.tls };
  if (script.fault !== undefined) return toMock(await serveBroken(script.fault, where, ledger), ledger);

  const serving: Serving = { choose: createChooser(script), ledger, options };
  const bound = await serveGrpc<OpenCall>(
    {
      open: (call) => recordCall(call, ledger),
      routes: (router, callOf) =>
        router.service(Authorization, { check: (request, context) => check(request, callOf(context), serving) }),
    },
    where,
    ledger,
  );
  return toMock(bound, ledger);
}

interface Serving {
  readonly choose: (checked: Checked) => Reply;
  readonly ledger: LedgerWriter;
  readonly options: MockOptions;
}

async function check(request: CheckRequest, open: OpenCall, serving: Serving): Promise<CheckResponse> {
  const { choose, ledger, options } = serving;
  const checked = open.arrived(request);
  const reply = choose(checked);
  const { gate, giveUp = DEFAULT_GIVE_UP } = reply;
  if (gate !== undefined) await Promise.race([options.gates.wait(gate, durationMs(giveUp)), open.call.over()]);
  await fail(reply, open.call, (reason) => {
    ledger.fail(`peer ${options.name} was asked about ${checked.method} ${checked.path}: ${reason}`);
  });
  return toResponse(reply);
}

function toMock({ close, ...address }: Bound, ledger: LedgerWriter): Mock {
  return { kind: 'extauth', ...address, ledger, stop: close };
}
