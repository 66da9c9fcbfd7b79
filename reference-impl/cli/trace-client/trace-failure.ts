/** What the user must be told before the command ends with exit code 1. The message is the whole of it. */
export class TraceFailure extends Error {
  override readonly name = 'TraceFailure';
}

/** The useful part of an error of Node: `connect ECONNREFUSED 127.0.0.1:15000`, without the wrapping. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
