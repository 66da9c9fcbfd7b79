import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { durationMs, toBytes } from '../script.ts';
import type { HeaderValueSchema } from '../wire/gen/http_pb.js';
import { RateLimitResponse_Code, RateLimitResponseSchema, RateLimitUnit } from '../wire/gen/rls_pb.js';
import type { RateLimitResponse, RateLimitResponse_DescriptorStatusSchema } from '../wire/gen/rls_pb.js';
import type { Headers, Limit, Reply, Status } from './script.ts';

/** What `reply` says, and `counted` where it says nothing, as the protocol says it. */
export function toResponse(reply: Reply, counted: readonly Status[]): RateLimitResponse {
  const isOver = counted.some(({ code }) => code === 'OVER_LIMIT');
  return create(RateLimitResponseSchema, {
    overallCode: RateLimitResponse_Code[reply.code ?? (isOver ? 'OVER_LIMIT' : 'OK')],
    statuses: (reply.statuses ?? counted).map(toStatus),
    requestHeadersToAdd: toHeaders(reply.requestHeaders),
    responseHeadersToAdd: toHeaders(reply.responseHeaders),
    rawBody: reply.body === undefined ? new Uint8Array() : new Uint8Array(toBytes(reply.body)),
  });
}

const UNIT_NUMBERS: Readonly<Record<Limit['unit'], RateLimitUnit>> = {
  second: RateLimitUnit.SECOND,
  minute: RateLimitUnit.MINUTE,
  hour: RateLimitUnit.HOUR,
  day: RateLimitUnit.DAY,
  week: RateLimitUnit.WEEK,
};

function toStatus(status: Status): MessageInitShape<typeof RateLimitResponse_DescriptorStatusSchema> {
  const { code = 'OK', limit, unit = 'second', remaining = 0, reset } = status;
  return {
    code: RateLimitResponse_Code[code],
    ...(limit === undefined ? {} : { currentLimit: { requestsPerUnit: limit, unit: UNIT_NUMBERS[unit] } }),
    limitRemaining: remaining,
    ...(reset === undefined ? {} : { durationUntilReset: duration(durationMs(reset)) }),
  };
}

function duration(milliseconds: number): { readonly seconds: bigint; readonly nanos: number } {
  return { seconds: BigInt(Math.floor(milliseconds / 1000)), nanos: Math.round((milliseconds % 1000) * 1e6) };
}

function toHeaders(headers: Headers = {}): MessageInitShape<typeof HeaderValueSchema>[] {
  return Object.entries(headers).flatMap(([key, values]) => [values].flat().map((value) => ({ key, value })));
}
