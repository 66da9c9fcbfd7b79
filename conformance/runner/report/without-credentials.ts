import { createHash } from 'node:crypto';

/**
 * Text for a report without the credentials that the run made for itself: reports are kept, sent around and attached to issues. What a
 * reader needs stays: the claims of a token but not its signature, and of a key by which mark it is the same one as elsewhere. Holds for
 * plain text, JSON, XML and YAML alike, each of which stays what it is.
 */
export function withoutCredentials(text: string): string {
  return SHAPES.reduce((kept, { shape, told }) => kept.replace(shape, told), text);
}

interface Shape {
  readonly shape: RegExp;
  readonly told: (whole: string, start: string) => string;
}

const SHAPES: readonly Shape[] = [
  // A token of three parts. What is signed may be read.
  { shape: /\b(eyJ[\w-]+\.eyJ[\w-]+\.)[\w-]{20,}/g, told: (_, signed) => `${signed}(signature left out)` },
  // Whole, or cut off in the middle of its lines where a long value was shortened.
  {
    shape:
      /(-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----)(?:[\w+/=\s\\]*?-----END (?:[A-Z]+ )?PRIVATE KEY-----|(?:(?:\\+[nr]|\n[ \t]*)[\w+/=]+)*)/g,
    told: (whole) => `(private key left out, ${markOf(whole)})`,
  },
  // The same inside the data of a Secret.
  {
    shape: /(LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJVkFURS|FQyBQUklWQVRF))[\w+/=]*/g,
    told: (whole) => `(private key in base64 left out, ${markOf(whole)})`,
  },
  // What a mock of cloud A lends.
  { shape: /\b(ASIA)[\dA-F]{16}\b/g, told: (whole) => `(key of cloud A left out, ${markOf(whole)})` },
];

/** The same for the same key, however its lines are written: real ones, the escapes of JSON, those of JSON inside JSON. */
function markOf(key: string): string {
  const bare = key.replaceAll(/\\+n|\s/g, '');
  return `sha256 ${createHash('sha256').update(bare).digest('hex').slice(0, 12)}`;
}
