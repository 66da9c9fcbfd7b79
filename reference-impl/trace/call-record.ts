/** Who is told of the calls that are made for one request: to its backend, for its policies, of its mirrors. */
export interface CallRecord {
  /** Notes that a call begins; call what is returned when the head of its answer is there, or its failure. */
  readonly noteCall: (call: CallStart) => (end: CallEnd) => void;
}

export interface CallStart {
  readonly kind: CallKind;
  /** What the call is for: a protocol, or a service that a policy asks. */
  readonly subtype: string;
  /** The endpoint, as text. */
  readonly target: string;
  /** What is asked, where that is known. */
  readonly request?: CallRequest | undefined;
}

export interface CallRequest {
  readonly method: string;
  readonly authority: string;
  readonly target: string;
}

export type CallKind = 'Primary' | 'Policy' | 'Mirror';

export interface CallEnd {
  /** Of the answer; null when none came. */
  readonly status: number | null;
  /** Why none came; null when one did. */
  readonly error: string | null;
}
