import type { Received, Request } from '../../exchange/exchange.ts';
import { splitTarget } from '../../exchange/request-state.ts';

/** Where agents keep their card: the second is the name of before version 0.3 of A2A. */
const WELL_KNOWN = ['/.well-known/agent-card.json', '/.well-known/agent.json'];

export function asksForCard({ method, target }: Request): boolean {
  return method === 'GET' && baseOf(target) !== undefined;
}

/** Where the card was asked for, on both sides of the proxy. */
export interface CardAddress {
  /** Scheme and authority by which the client reaches the proxy. */
  readonly origin: string;
  /** What stands before the well-known path where the client asks; empty at the root. */
  readonly base: string;
  /** The same at the agent, after every rewrite. */
  readonly agentBase: string;
  /** With its question mark; empty without. */
  readonly query: string;
}

/** A proxy in front of this one says by which scheme its clients come. */
export function cardAddress({ asked, request }: Received): CardAddress {
  const { query } = splitTarget(asked.target);
  const scheme = asked.headers.get('x-forwarded-proto') ?? asked.scheme;
  return {
    origin: `${scheme}://${asked.authority}`,
    // A route may rewrite another path to the card's: then the client knows nothing better than what it asked for.
    base: baseOf(asked.target) ?? splitTarget(asked.target).path,
    agentBase: baseOf(request.target) ?? '',
    query: query === '' ? '' : `?${query}`,
  };
}

function baseOf(target: string): string | undefined {
  const { path } = splitTarget(target);
  const place = WELL_KNOWN.find((each) => path.endsWith(each));
  return place === undefined ? undefined : path.slice(0, -place.length);
}
