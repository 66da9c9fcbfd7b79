import { createHash } from 'node:crypto';
import type { Ledger, LedgerEntry } from '../ledger.ts';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { proofOf } from './client.ts';
import type { Proof } from './client.ts';

type View = Readonly<Record<string, unknown>>;

/**
 * The ledger of a mock, in which questions for tokens show what was asked and no secret: a secret that the script knows
 * stands there by its name in brackets, any other by a digest; of a JWT its header and claims are shown, which prove nothing.
 */
export function withoutSecrets(ledger: Ledger, tokenPath: string, secrets: Readonly<Record<string, string>>): Ledger {
  const names = new Map(Object.entries(secrets).map(([name, secret]) => [secret, name]));
  const readable = new WeakMap<LedgerEntry, LedgerEntry>();
  const readableEntry = (entry: LedgerEntry): LedgerEntry => {
    const known = readable.get(entry) ?? {
      ...pick(entry),
      view: () => viewOf(entry.view(), tokenPath, names),
    };
    readable.set(entry, known);
    return known;
  };
  const shown: Ledger = {
    get entries() {
      return ledger.entries.map(readableEntry);
    },
    get attempted() {
      return ledger.attempted;
    },
    get active() {
      return ledger.active;
    },
    get fails() {
      return ledger.fails;
    },
    onChange: ledger.onChange,
    until: (condition, giveUpMs) => ledger.until(() => condition(shown), giveUpMs),
    mark: ledger.mark,
  };
  return shown;
}

/** The members as they are at any moment: an entry fills up until it is settled. */
function pick(entry: LedgerEntry): Omit<LedgerEntry, 'view'> {
  return {
    connection: entry.connection,
    at: entry.at,
    get complete() {
      return entry.complete;
    },
    get settled() {
      return entry.settled;
    },
  };
}

const SECRETS = new Set(['subject_token', 'actor_token', 'assertion', 'client_secret', 'client_assertion']);

function viewOf(view: View, tokenPath: string, names: ReadonlyMap<string, string>): View {
  if (view['method'] !== 'POST' || view['path'] !== tokenPath || typeof view['body'] !== 'string') return view;
  const { body, json: _json, rawHeaders: _rawHeaders, headers, ...rest } = view;
  const form = new URLSearchParams(body);
  const fields = { ...(typeof headers === 'object' ? headers : {}) };
  const authorization: unknown = Reflect.get(fields, 'authorization');
  const hide = (text: string): string => nameOf(text, names);
  const asked = { authorization: typeof authorization === 'string' ? authorization : undefined, form };
  return {
    ...rest,
    headers: typeof authorization === 'string' ? { ...fields, authorization: hideValue(authorization, hide) } : fields,
    form: Object.fromEntries([...new Set(form.keys())].map((name) => [name, valueOf(name, form, hide)])),
    order: [...form.keys()],
    tokens: Object.fromEntries([...form].flatMap(([name, text]) => jwtOf(name, text))),
    client: clientOf(proofOf(asked), hide),
  };
}

function valueOf(name: string, form: URLSearchParams, hide: (text: string) => string): unknown {
  const values = form.getAll(name).map((text) => (SECRETS.has(name) ? hide(text) : text));
  return values.length === 1 ? values[0] : values;
}

function jwtOf(name: string, text: string): readonly (readonly [string, View])[] {
  if (!SECRETS.has(name)) return [];
  try {
    return [[name, { header: decodeProtectedHeader(text), claims: decodeJwt(text) }]];
  } catch {
    return []; // opaque
  }
}

function clientOf(proof: Proof | object, hide: (text: string) => string): View {
  if (!('method' in proof)) return { method: 'wrong' };
  const { method, id, secret } = proof;
  return { method, ...(id === undefined ? {} : { id }), ...(secret === undefined ? {} : { secret: hide(secret) }) };
}

function hideValue(value: string, hide: (text: string) => string): string {
  const [scheme = '', ...rest] = value.split(' ');
  return rest.length === 0 ? hide(value) : `${scheme} ${hide(rest.join(' '))}`;
}

function nameOf(text: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(text);
  return name === undefined ? `sha256:${createHash('sha256').update(text).digest('hex').slice(0, 16)}` : `<${name}>`;
}
