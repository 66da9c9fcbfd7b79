import type { OpenCall, Question } from '../grpc/record-call.ts';
import type { RateLimitRequest } from '../wire/gen/rls_pb.js';

/** What somebody asks, in the words a case uses. */
export interface Asked {
  readonly domain: string;
  readonly descriptors: readonly Descriptor[];
  /** Of the whole request; 0 when it is not set. */
  readonly hitsAddend: number;
}

export interface Descriptor {
  /** In order. */
  readonly entries: readonly { readonly key: string; readonly value: string }[];
  /** null when the descriptor says nothing about it. */
  readonly hitsAddend: number | null;
}

export type OpenQuestion = OpenCall<RateLimitRequest, Asked>;

/** A RateLimitRequest in the words a case uses. */
export function readQuestion({ domain, descriptors, hitsAddend }: RateLimitRequest): Question<Asked> {
  const asked = {
    domain,
    descriptors: descriptors.map((descriptor) => ({
      entries: descriptor.entries.map(({ key, value }) => ({ key, value })),
      hitsAddend: descriptor.hitsAddend === undefined ? null : Number(descriptor.hitsAddend),
    })),
    hitsAddend,
  };
  return { asked, bytes: JSON.stringify(asked).length, cut: {} };
}
