import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectError, Code } from '@connectrpc/connect';
import { fail } from '../grpc/failures.ts';
import type { GrpcCall } from '../grpc/serve.ts';
import { startGrpcMock } from '../grpc/start.ts';
import type { LedgerWriter } from '../ledger.ts';
import { resetConnection } from '../listen.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { giveUpMs } from '../script.ts';
import { handshakeOf } from '../tls/terminate.ts';
import { LogsService } from '../wire/gen/otlp_logs_pb.js';
import { TraceService } from '../wire/gen/otlp_trace_pb.js';
import { createChooser } from './choose-reply.ts';
import { logsTaken, spansTaken } from './decode.ts';
import { takeOverHttp, type Taking } from './over-http.ts';
import { createRecorder } from './record-export.ts';
import { logRecords, spans, type RecordView } from './records.ts';
import type { Reply, Signal, TelemetryScript } from './script.ts';

/** Starts a collector that speaks OTLP over gRPC and over HTTP on one port. Rejects when its port cannot be bound. */
export function startTelemetryMock(script: TelemetryScript, options: MockOptions): Promise<Mock> {
  return startGrpcMock<GrpcCall>(script, options, (ledger) => {
    const taking = takingOf(script, options, ledger);
    return {
      open: (call) => call,
      routes: (router, callOf) => {
        router.service(LogsService, {
          export: async (request, context) => {
            const reply = await takeCall('logs', logRecords(request), callOf(context), taking);
            return logsTaken(reply.rejected ?? 0);
          },
        });
        router.service(TraceService, {
          export: async (request, context) => {
            const reply = await takeCall('traces', spans(request), callOf(context), taking);
            return spansTaken(reply.rejected ?? 0);
          },
        });
      },
      // OTLP over HTTP may come over HTTP/2 as well.
      otherwise: (request, response, call) => {
        const { connection, headers, tls, reset } = call;
        void takeOverHttp(
          {
            request,
            response,
            arrival: { connection, path: request.url, version: request.httpVersion, headers, tls },
            reset,
          },
          taking,
        );
      },
      http1: (connectionOf) => http1Server(connectionOf, taking),
    };
  });
}

function takingOf(script: TelemetryScript, { name, gates }: MockOptions, ledger: LedgerWriter): Taking {
  return {
    script,
    record: createRecorder(ledger),
    choose: createChooser(script),
    wait: async ({ gate, giveUp }, over) => {
      if (gate !== undefined) await Promise.race([gates.wait(gate, giveUpMs(giveUp)), over]);
    },
    forbidden: (signal, reason) => ledger.fail(`peer ${name} was sent ${signal}: ${reason}`),
  };
}

/** Notes the records of a call and commits the failure of its reply; returns a reply without failure. */
async function takeCall(
  signal: Signal,
  records: readonly RecordView[],
  call: GrpcCall,
  { record, choose, wait, forbidden }: Taking,
): Promise<Partial<Reply>> {
  const { connection, rpc, headers, tls, stream } = call;
  stream.once(
    'close',
    record({ signal, protocol: 'grpc' }, { connection, path: rpc, version: '2.0', headers, tls }, records),
  );
  const reply = choose({ signal, protocol: 'grpc' });
  await wait(reply, call.over());
  if (stream.destroyed) throw new ConnectError('the stream is over', Code.Aborted);
  await fail(reply, call, (reason) => forbidden(signal, reason));
  return reply;
}

function http1Server(connectionOf: (socket: Socket) => number, taking: Taking): Server {
  return createServer({ keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 }, (request, response) => {
    const { socket, headers, url = '', httpVersion: version } = request;
    const arrival = { connection: connectionOf(socket), path: url, version, headers, tls: handshakeOf(socket) };
    const reset = (): void => resetConnection(socket);
    void takeOverHttp({ request, response, arrival, reset }, taking);
  });
}
