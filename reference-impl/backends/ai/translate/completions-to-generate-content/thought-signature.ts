/*
 * The provider wants the signature of its thoughts back with the call they led to. A client of completions keeps nothing
 * of a call but its id, so the id carries the signature.
 */
const MARK = '__thought__';

/** The id of a call for the client. */
export function withThoughtSignature(id: string, signature: string | undefined): string {
  return signature === undefined || signature === '' ? id : `${id}${MARK}${signature}`;
}

/** The signature that an id carries. */
export function thoughtSignatureIn(id: string): string | undefined {
  const at = id.indexOf(MARK);
  return at === -1 ? undefined : id.slice(at + MARK.length);
}
