import { createHash } from 'node:crypto';

/** The names of tools on both sides of a call. */
export interface ToolNames {
  /** The name the provider takes. */
  readonly sent: (name: string) => string;
  /** The name the client gave. */
  readonly restored: (name: string) => string;
}

/** Converse takes 64 letters, digits, `_` and `-` in a name; other names are sent as ones that are no other tool's. */
export function toolNames(names: readonly string[]): ToolNames {
  const sent = new Map<string, string>();
  const restored = new Map<string, string>();
  const own = new Set(names.filter((name) => cleanName(name) === name));
  for (const name of new Set(names)) {
    const clean = cleanName(name);
    const taken = clean !== name && (own.has(clean) || restored.has(clean));
    const chosen = taken ? withHash(clean, name) : clean;
    sent.set(name, chosen);
    restored.set(chosen, name);
  }
  return { sent: (name) => sent.get(name) ?? cleanName(name), restored: (name) => restored.get(name) ?? name };
}

const LONGEST = 64;
const HASH = 6;

function cleanName(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return clean.length > LONGEST ? withHash(clean, name) : clean;
}

function withHash(clean: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH);
  return `${clean.slice(0, LONGEST - HASH - 1)}_${hash}`;
}
