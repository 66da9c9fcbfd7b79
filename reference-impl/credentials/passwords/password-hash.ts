import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import desCrypt from 'unix-crypt-td-js';
import { md5Crypt } from './md5-crypt.ts';
import { shaCrypt, shaCryptRounds } from './sha-crypt.ts';

/**
 * Whether the password is the one a stored hash was made of. Never throws; a text of no known form is never equal to
 * any password. May take as long as the hash asks for: call it where no request waits.
 */
export function verifiesPassword(password: string, stored: string): boolean {
  const bytes = Buffer.from(password);
  const format = FORMATS.find(({ form }) => form.test(stored));
  if (format === undefined || bytes.length > LONGEST || format.tooDear?.(stored) === true) return false;
  return sameText(format.hash(bytes, stored), stored);
}

interface Format {
  /** What a stored hash looks like. */
  readonly form: RegExp;
  /** Hashes with the settings of `stored` (salt, rounds); gives the text that would be stored. */
  readonly hash: (password: Buffer, stored: string) => string;
  /** Settings that would keep a thread busy for more than a second or two: no password is right for them. */
  readonly tooDear?: (stored: string) => boolean;
}

/** BASIC-009 to BASIC-012: what `htpasswd` and crypt(3) write. BASIC-013: there is no row for a plain password. */
const FORMATS: readonly Format[] = [
  { form: /^\$(apr1|1)\$[./0-9A-Za-z]{0,8}\$[./0-9A-Za-z]{22}$/, hash: md5Crypt },
  {
    form: /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./0-9A-Za-z]{53}$/,
    hash: (password, stored) => hashSync(password.toString(), stored.slice(0, BCRYPT_SETTINGS)),
    tooDear: (stored) => Number(stored.slice(4, 6)) > HIGHEST_COST,
  },
  { form: /^\{SHA\}[+/0-9A-Za-z]{27}=$/, hash: (password) => `{SHA}${digest('sha1', password).toString('base64')}` },
  { form: /^\$5\$(rounds=\d{4,9}\$)?[^$:]{0,16}\$[./0-9A-Za-z]{43}$/, hash: shaCrypt, tooDear: tooManyRounds },
  { form: /^\$6\$(rounds=\d{4,9}\$)?[^$:]{0,16}\$[./0-9A-Za-z]{86}$/, hash: shaCrypt, tooDear: tooManyRounds },
  { form: /^[./0-9A-Za-z]{13}$/, hash: (password, stored) => desCrypt([...password], stored.slice(0, 2)) },
];

/** Bytes of a password; longer ones are not worth the work they make. */
const LONGEST = 1024;

/** Of bcrypt: each step doubles the work, and 14 takes about a second. docs/decisions/client-credentials.md */
const HIGHEST_COST = 14;

/** `$2y$10$` and 22 characters of salt. */
const BCRYPT_SETTINGS = 29;

function tooManyRounds(stored: string): boolean {
  return shaCryptRounds(stored) > 1_000_000;
}

/** In a time that does not depend on where the texts differ. */
function sameText(left: string, right: string): boolean {
  return timingSafeEqual(digest('sha256', left), digest('sha256', right));
}

function digest(algorithm: string, data: string | Buffer): Buffer {
  return createHash(algorithm).update(data).digest();
}
