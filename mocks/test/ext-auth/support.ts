import { fromBinary, toBinary } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import type { Mock } from '../../mock.ts';
import { suiteCertificates } from '../../tls/suite.ts';
import { CheckRequestSchema, CheckResponseSchema } from '../../wire/gen/ext_authz_pb.js';
import type { CheckRequest, CheckResponse } from '../../wire/gen/ext_authz_pb.js';
import { wallClock } from '../../wall-clock.ts';

/** The method as the other gRPC stack of this machine knows it: only names and bytes are shared with the mock. */
const CHECK: grpc.MethodDefinition<CheckRequest, CheckResponse> = {
  path: '/envoy.service.auth.v3.Authorization/Check',
  requestStream: false,
  responseStream: false,
  requestSerialize: (message) => Buffer.from(toBinary(CheckRequestSchema, message)),
  requestDeserialize: (bytes) => fromBinary(CheckRequestSchema, bytes),
  responseSerialize: (message) => Buffer.from(toBinary(CheckResponseSchema, message)),
  responseDeserialize: (bytes) => fromBinary(CheckResponseSchema, bytes),
};

export interface Called {
  readonly response?: CheckResponse;
  /** A number of grpc.status. */
  readonly code?: number;
}

export interface CheckClient {
  readonly check: (request: CheckRequest, deadlineMs?: number) => Promise<Called>;
}

/** A client of @grpc/grpc-js, closed when the test ends. */
export function checkClient(mock: Mock): CheckClient {
  const credentials =
    mock.tls === undefined
      ? grpc.credentials.createInsecure()
      : grpc.credentials.createSsl(Buffer.from(suiteCertificates().ca));
  const client = new grpc.Client(`${mock.host}:${mock.port}`, credentials);
  onTestFinished(() => client.close());
  return {
    check: (request, deadlineMs = 5000) =>
      new Promise((resolve) => {
        client.makeUnaryRequest(
          CHECK.path,
          CHECK.requestSerialize,
          CHECK.responseDeserialize,
          request,
          { deadline: wallClock() + deadlineMs },
          (error, response) =>
            resolve(error === null ? (response === undefined ? {} : { response }) : { code: error.code }),
        );
      }),
  };
}

/** A server of @grpc/grpc-js on a free port, stopped when the test ends. */
export async function checkServer(answer: (request: CheckRequest) => CheckResponse): Promise<number> {
  const server = new grpc.Server();
  server.addService(
    { check: CHECK },
    {
      check: (call: grpc.ServerUnaryCall<CheckRequest, CheckResponse>, done: grpc.sendUnaryData<CheckResponse>) =>
        done(null, answer(call.request)),
    },
  );
  onTestFinished(() => server.forceShutdown());
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}
