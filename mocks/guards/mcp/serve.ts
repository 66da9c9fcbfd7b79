import { fail } from '../../grpc/failures.ts';
import { recordCall } from '../../grpc/record-call.ts';
import { startGrpcMock } from '../../grpc/start.ts';
import { waitAtGate } from '../../grpc/wait-at-gate.ts';
import { createLaneChooser } from '../../lanes.ts';
import type { LedgerWriter } from '../../ledger.ts';
import type { Mock, MockOptions } from '../../mock.ts';
import { ExtMcp } from '../../wire/gen/ext_mcp_pb.js';
import type { McpRequest, McpResponse } from '../../wire/gen/ext_mcp_pb.js';
import { toRequestResult, toResponseResult } from './answer.ts';
import { readCheck } from './checked.ts';
import type { Checked, OpenCheck } from './checked.ts';
import type { Match, McpGuardScript, Reply } from './script.ts';

/** Starts a scripted policy server for MCP messages. Rejects when its port cannot be bound. */
export function startMcpGuardMock(script: McpGuardScript, options: MockOptions): Promise<Mock> {
  return startGrpcMock<OpenCheck>(script, options, (ledger) => {
    const serving: Serving = { choose: createLaneChooser(script, { matches }), ledger, options };
    return {
      open: (call) => recordCall(call, ledger, readCheck),
      routes: (router, callOf) =>
        router.service(ExtMcp, {
          checkRequest: async (request, context) => toRequestResult(await judge(request, callOf(context), serving)),
          checkResponse: async (response, context) => toResponseResult(await judge(response, callOf(context), serving)),
        }),
    };
  });
}

interface Serving {
  readonly choose: (checked: Checked) => Reply;
  readonly ledger: LedgerWriter;
  readonly options: MockOptions;
}

function matches({ check, method }: Match, checked: Checked): boolean {
  return (check === undefined || check === checked.check) && (method === undefined || method === checked.method);
}

async function judge(message: McpRequest | McpResponse, open: OpenCheck, serving: Serving): Promise<Reply> {
  const { choose, ledger, options } = serving;
  const checked = open.receive(message);
  const reply = choose(checked);
  await waitAtGate(reply, open.call, options.gates);
  await fail(reply, open.call, (reason) => {
    ledger.fail(`peer ${options.name} was asked about the ${checked.check} of ${checked.method}: ${reason}`);
  });
  return reply;
}
