import { startGrpcMock } from '../grpc/start.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { ExternalProcessor } from '../wire/gen/ext_proc_pb.js';
import { converse } from './converse.ts';
import { recordStream } from './entry.ts';
import type { OpenStream } from './entry.ts';
import type { ExtProcScript } from './script.ts';

/** Starts a scripted external processor. Rejects when its port cannot be bound. */
export function startExtProcMock(script: ExtProcScript, options: MockOptions): Promise<Mock> {
  return startGrpcMock<OpenStream>(script, options, (ledger) => ({
    open: (call) => recordStream(call, ledger),
    routes: (router, streamOf) =>
      router.service(ExternalProcessor, {
        process: (messages, context) => converse(messages, streamOf(context), script, { ledger, options }),
      }),
  }));
}
