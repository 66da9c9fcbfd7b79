import { HeaderMap } from './headers.ts';

/** Fields that speak about one connection only and end at the proxy, in both directions. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The fields that travel from end to end: without the hop-by-hop ones, without those that `Connection` names, and without
 * `dropped` (lower case). `te: trailers` stays.
 */
export function endToEnd(fields: HeaderMap, dropped: ReadonlySet<string> = NONE): HeaderMap {
  const raw = fields.toRaw();
  const kept: string[] = [];
  const names: string[] = [];
  let named: string[] | undefined;
  const lowerNames = fields.names();
  for (let index = 0; index < lowerNames.length; index += 1) {
    const lower = lowerNames[index] ?? '';
    const value = raw[index * 2 + 1] ?? '';
    if (HOP_BY_HOP.has(lower)) {
      if (lower === 'connection' && !ORDINARY.has(value)) (named ??= []).push(...namedIn(value));
      if (lower !== 'te' || value.toLowerCase() !== 'trailers') continue;
    }
    if (dropped.has(lower)) continue;
    kept.push(raw[index * 2] ?? '', value);
    names.push(lower);
  }
  const headers = HeaderMap.fromRaw(kept, names);
  return named === undefined ? headers : headers.remove(...named);
}

const NONE: ReadonlySet<string> = new Set();

/** Values of `Connection` that name no field, in the spellings that are met every day. */
const ORDINARY: ReadonlySet<string> = new Set(['keep-alive', 'close', 'Keep-Alive', 'Close']);

function namedIn(connection: string): string[] {
  const names = connection.split(',').map((token) => token.trim().toLowerCase());
  return names.filter((name) => !NEVER_NAMED.has(name));
}

/** A client must not be able to make the proxy drop what framing, routing or policies stand on. */
const NEVER_NAMED: ReadonlySet<string> = new Set(['', 'te', 'host', 'content-length', 'authorization', 'cookie']);
