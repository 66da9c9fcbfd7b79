import { fail } from '../grpc/failures.ts';
import { recordCall } from '../grpc/record-call.ts';
import { startGrpcMock } from '../grpc/start.ts';
import { waitAtGate } from '../grpc/wait-at-gate.ts';
import type { LedgerWriter } from '../ledger.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { Authorization } from '../wire/gen/ext_authz_pb.js';
import type { CheckRequest, CheckResponse } from '../wire/gen/ext_authz_pb.js';
import { toResponse } from './answer.ts';
import { createChooser } from './choose-reply.ts';
import { readCheck } from './checked.ts';
import type { Checked, OpenCheck } from './checked.ts';
import type { ExtAuthScript, Reply } from './script.ts';

/** Starts a scripted authorization server. Rejects when its port cannot be bound. */
export function startExtAuthMock(script: ExtAuthScript, options: MockOptions): Promise<Mock> {
  return startGrpcMock<OpenCheck>(script, options, (ledger) => {
    const serving: Serving = { choose: createChooser(script), ledger, options };
    return {
      open: (call) => recordCall(call, ledger, readCheck),
      routes: (router, callOf) =>
        router.service(Authorization, { check: (request, context) => check(request, callOf(context), serving) }),
    };
  });
}

interface Serving {
  readonly choose: (checked: Checked) => Reply;
  readonly ledger: LedgerWriter;
  readonly options: MockOptions;
}

async function check(request: CheckRequest, open: OpenCheck, serving: Serving): Promise<CheckResponse> {
  const { choose, ledger, options } = serving;
  const checked = open.receive(request);
  const reply = choose(checked);
  await waitAtGate(reply, open.call, options.gates);
  await fail(reply, open.call, (reason) => {
    ledger.fail(`peer ${options.name} was asked about ${checked.method} ${checked.path}: ${reason}`);
  });
  return toResponse(reply);
}
