import type { McpTargetView } from '../../attachment/view.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import type { Asked, Seat, Setback, Visiting } from './asked.ts';
import type { Request } from './message.ts';
import { openSeat } from './open-seat.ts';
import { endSeats } from './end-seats.ts';
import { sendMessage } from './transports/transports.ts';

/** MCP-005: what stands in for a session while one request of a client without one is answered. */
export class Visit implements Visiting {
  readonly #seats = new Map<string, Promise<Seat | Setback>>();

  /** A seat at a target, taken when it is first asked for. */
  seatAt(asked: Asked, target: McpTargetView): Promise<Seat | Setback> {
    const known = this.#seats.get(target.name);
    if (known !== undefined) return known;
    const seat = takeSeat(asked, target);
    this.#seats.set(target.name, seat);
    return seat;
  }

  /** Leaves every target; nobody waits for it. */
  async end(asked: Asked): Promise<void> {
    const seats = await Promise.allSettled(this.#seats.values());
    endSeats(
      asked,
      seats.flatMap((each) => (each.status === 'fulfilled' && 'target' in each.value ? [each.value] : [])),
    );
  }
}

async function takeSeat(asked: Asked, target: McpTargetView): Promise<Seat | Setback> {
  const opened = await openSeat(asked, target, introduction(asked));
  if (opened.kind !== 'opened') endSeats(asked, [opened.seat]);
  if (opened.kind === 'declines') {
    return { kind: 'fails', failure: new ProxyError('upstreamCallFailed', 'the MCP server declined the session') };
  }
  if (opened.kind !== 'opened') return opened;
  const said = { kind: 'notification', method: 'notifications/initialized', params: undefined } as const;
  const sent = await sendMessage(asked, opened.seat, said);
  if (sent.kind === 'speaks') sent.messages.cancel();
  return sent.kind === 'refuses' || sent.kind === 'fails' ? sent : opened.seat;
}

/** What the proxy says of itself where the client had no occasion to. */
function introduction({ exchange }: Asked): Request {
  const protocolVersion = exchange.request.headers.get('mcp-protocol-version') ?? '2025-11-25';
  const clientInfo = { name: 'refproxy', version: '1' };
  return { kind: 'request', id: 0, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } };
}
