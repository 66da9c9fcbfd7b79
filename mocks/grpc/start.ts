import { createLedger } from '../ledger.ts';
import type { LedgerWriter } from '../ledger.ts';
import { refuse } from '../listen.ts';
import type { Bound } from '../listen.ts';
import type { Mock, MockOptions } from '../mock.ts';
import type { TlsScript } from '../tls/script.ts';
import { serveBroken, serveGrpc } from './serve.ts';
import type { GrpcServing } from './serve.ts';

/** What a script says about all connections of a peer: the members of `connectionShape`, and its kind. */
interface Connecting {
  readonly kind: string;
  readonly fault?: 'refuse' | 'reset' | 'hang' | 'garbage' | undefined;
  readonly tls?: TlsScript | undefined;
}

/**
 * Starts a peer that speaks gRPC; `prepare` is not called for one whose connections are all broken. Rejects when its port
 * cannot be bound, and with whatever `prepare` rejects.
 */
export async function startGrpcMock<Call>(
  { kind, fault, tls }: Connecting,
  options: MockOptions,
  prepare: (ledger: LedgerWriter) => GrpcServing<Call> | Promise<GrpcServing<Call>>,
): Promise<Mock> {
  const toMock = ({ close, ...address }: Bound, ledger: LedgerWriter): Mock => ({
    kind,
    ...address,
    ledger,
    stop: close,
  });
  if (fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  const where = { ...options, tls };
  if (fault !== undefined) return toMock(await serveBroken(fault, where, ledger), ledger);
  const serving = await prepare(ledger);
  const mock = toMock(await serveGrpc(serving, where, ledger), ledger);
  const stop = async (): Promise<void> => {
    await mock.stop();
    serving.onStop?.();
  };
  return { ...mock, stop };
}
