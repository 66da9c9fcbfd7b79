import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import type { Mock } from '../../mock.ts';
import { suiteCertificates } from '../../tls/suite.ts';
import { RateLimitRequestSchema, RateLimitResponseSchema, RateLimitService } from '../../wire/gen/rls_pb.js';
import type { RateLimitResponse } from '../../wire/gen/rls_pb.js';
import { wallClock } from '../../wall-clock.ts';

type Question = MessageInitShape<typeof RateLimitRequestSchema>;

/** Asks over a gRPC stack that shares nothing with the mock's; rejects with a `grpc.ServiceError`. */
export type Ask = (question: Question, deadlineMs?: number) => Promise<RateLimitResponse>;

/** A client that is closed when the test ends. */
export function askerOf({ host, port, tls }: Mock): Ask {
  const credentials =
    tls === true ? grpc.credentials.createSsl(Buffer.from(suiteCertificates().ca)) : grpc.credentials.createInsecure();
  const client = new grpc.Client(`${host}:${port}`, credentials);
  onTestFinished(() => client.close());
  const path = `/${RateLimitService.typeName}/${RateLimitService.method.shouldRateLimit.name}`;
  return (question, deadlineMs = 5000) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        (request: Question) => Buffer.from(toBinary(RateLimitRequestSchema, create(RateLimitRequestSchema, request))),
        (bytes) => fromBinary(RateLimitResponseSchema, bytes),
        question,
        { deadline: wallClock() + deadlineMs },
        (error, response) => (response === undefined ? reject(error ?? new Error('no answer')) : resolve(response)),
      );
    });
}

/** One descriptor with these entries. */
export function descriptor(
  entries: Readonly<Record<string, string>>,
  hitsAddend?: bigint,
): NonNullable<Question['descriptors']>[number] {
  return {
    entries: Object.entries(entries).map(([key, value]) => ({ key, value })),
    ...(hitsAddend === undefined ? {} : { hitsAddend }),
  };
}
