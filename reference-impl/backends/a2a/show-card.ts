import { Buffer } from 'node:buffer';
import { decode } from '../../base/content-encoding.ts';
import { isJsonList, isJsonObject, jsonOf, type Json, type JsonObject } from '../../base/json.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Answer, Routed } from '../../exchange/exchange.ts';
import { cardAddress, type CardAddress } from './card-address.ts';

/**
 * The card of an agent with the addresses by which clients reach it through the proxy; what is no card passes as it is.
 * Throws processingFailed for a card nobody could use. docs/decisions/a2a.md
 */
export async function showCard(answer: Answer, exchange: Routed): Promise<Answer> {
  if (answer.status !== 200) return answer;
  const card = withAddresses(await readCard(answer, exchange), cardAddress(exchange));
  const headers = ABOUT_THE_BYTES.reduce((kept, name) => kept.remove(name), answer.headers);
  return { ...answer, headers, body: bytesBody(Buffer.from(JSON.stringify(card))) };
}

/** Header fields that speak of the bytes the agent sent. */
const ABOUT_THE_BYTES = [
  'content-encoding',
  'content-length',
  'content-digest',
  'repr-digest',
  'digest',
  'content-md5',
];

async function readCard({ body, headers }: Answer, exchange: Routed): Promise<JsonObject> {
  const limit = bodyLimit(exchange, 'response');
  const { bytes, overflow } = await readBody(body, limit);
  if (overflow) {
    body?.cancel();
    throw new ProxyError('processingFailed', 'agent card too large');
  }
  const readable = decode(bytes, headers.get('content-encoding'), limit);
  const card = readable.ok ? parse(Buffer.from(readable.bytes).toString('utf8')) : undefined;
  if (!isJsonObject(card)) throw new ProxyError('processingFailed', 'agent card invalid JSON');
  return card;
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return jsonOf(value);
  } catch {
    return undefined;
  }
}

/** A card of version 0.3 has one `url`, one of version 1.0 a list of interfaces; a card for both kinds of clients has both. */
function withAddresses(card: JsonObject, address: CardAddress): JsonObject {
  const { url, supportedInterfaces: interfaces } = card;
  if (typeof url !== 'string' && !isJsonList(interfaces)) {
    throw new ProxyError('processingFailed', "agent card missing URL (no 'url' or 'supportedInterfaces' field)");
  }
  return {
    ...card,
    ...(typeof url === 'string' && { url: `${address.origin}${address.base}${address.query}` }),
    ...(isJsonList(interfaces) && { supportedInterfaces: interfaces.map((each) => withAddress(each, address)) }),
  };
}

function withAddress(said: Json, address: CardAddress): Json {
  if (!isJsonObject(said) || typeof said['url'] !== 'string') return said;
  return { ...said, url: throughProxy(said['url'], address) };
}

/** What the agent has below the place of its card, clients find below the place where they found the card. */
function throughProxy(url: string, { origin, base, agentBase }: CardAddress): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  const path = pathname === '/' ? '' : pathname;
  const below = path === agentBase || path.startsWith(`${agentBase}/`);
  return `${origin}${below ? base + path.slice(agentBase.length) : path}${search}`;
}
