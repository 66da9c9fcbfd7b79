import { serveBroken, serveGrpc } from '../grpc/serve.ts';
import { createLedger } from '../ledger.ts';
import type { LedgerWriter } from '../ledger.ts';
import { refuse } from '../listen.ts';
import type { Bound } from '../listen.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { ExternalProcessor } from '../wire/gen/ext_proc_pb.js';
import { converse } from './converse.ts';
import { recordStream } from './entry.ts';
import type { OpenStream } from './entry.ts';
import type { ExtProcScript } from './script.ts';

/** Starts a scripted external processor. Rejects when its port cannot be bound. */
export async function startExtProcMock(script: ExtProcScript, options: MockOptions): Promise<Mock> {
  if (script.fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  const where = { ...options, tls: script.tls };
  if (script.fault !== undefined) return toMock(await serveBroken(script.fault, where, ledger), ledger);

  const bound = await serveGrpc<OpenStream>(
    {
      open: (call) => recordStream(call, ledger),
      routes: (router, streamOf) =>
        router.service(ExternalProcessor, {
          process: (messages, context) => converse(messages, streamOf(context), script, { ledger, options }),
        }),
    },
    where,
    ledger,
  );
  return toMock(bound, ledger);
}

function toMock({ close, ...address }: Bound, ledger: LedgerWriter): Mock {
  return { kind: 'extproc', ...address, ledger, stop: close };
}
