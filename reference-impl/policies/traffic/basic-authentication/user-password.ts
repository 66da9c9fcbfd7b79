import { Buffer } from 'node:buffer';

/** Who a client says it is, and how it proves it. */
export interface UserPassword {
  readonly name: string;
  readonly password: string;
}

/**
 * Reads a credential of the Basic scheme: base64 of `name:password` in UTF-8, where only the name may not have a colon.
 * Returns undefined for anything else, control characters included, which some hashes would stop at.
 */
export function parseUserPassword(credential: string): UserPassword | undefined {
  const text = decode(credential);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 0 || CONTROL.test(text)) return undefined;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

const CONTROL = /\p{Cc}/u;

function decode(credential: string): string | undefined {
  const bytes = Buffer.from(credential, 'base64');
  // Node reads past what is not base64; only the exact text counts.
  if (bytes.toString('base64') !== credential) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
