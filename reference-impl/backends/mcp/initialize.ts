import type { Answer } from '../../exchange/exchange.ts';
import type { Asked, Seat } from './asked.ts';
import { endSeats } from './end-seats.ts';
import { messageAnswer } from './event-stream.ts';
import { decisive, setbackAnswer } from './failures.ts';
import { guardOutcome } from './guards/guard-result.ts';
import { mergeInitialize } from './merge.ts';
import type { Request } from './message.ts';
import { type Opened, openSeat } from './open-seat.ts';
import { refuseMcp } from './refusals.ts';
import { beginSession } from './session.ts';

/** MCP-001: begins a session at every target, and tells the client of one. */
export async function initialize(asked: Asked, request: Request): Promise<Answer> {
  const { mcp } = asked;
  if (mcp.targets.length === 0) return refuseMcp('noBackends');
  const opened = await Promise.all(mcp.targets.map((target) => openSeat(asked, target, request)));
  const well = opened.filter(isOpened);
  const failed = opened.filter((each) => !isOpened(each));
  const deciding = decisive(failed, well.length, mcp.failOpen);
  if (deciding !== undefined) {
    endSeats(
      asked,
      opened.map(({ seat }) => seat),
    );
    return declined(asked, deciding, request);
  }
  endSeats(
    asked,
    failed.map(({ seat }) => seat),
  );
  const result = mcp.targets.length === 1 ? well[0]?.result : mergeInitialize(well.map(toResult));
  const outcome = await guardOutcome(asked, request, { result });
  const response = { kind: 'response', id: request.id, outcome } as const;
  // A guard that rejects what the servers say of themselves leaves no session behind.
  if (!mcp.stateful || 'error' in outcome) {
    endSeats(
      asked,
      well.map(({ seat }) => seat),
    );
    return messageAnswer(asked, response);
  }
  // MCP-003
  const { id } = beginSession(asked, opened.map(seatIn));
  return messageAnswer(asked, response, id === undefined ? [] : [['mcp-session-id', id]]);
}

type WellOpened = Extract<Opened, { kind: 'opened' }>;

function isOpened(opened: Opened): opened is WellOpened {
  return opened.kind === 'opened';
}

function declined(asked: Asked, deciding: Exclude<Opened, WellOpened>, { id }: Request): Answer {
  if (deciding.kind === 'declines') return messageAnswer(asked, { ...deciding.response, id });
  return setbackAnswer(asked, deciding, id);
}

function toResult({ seat, result }: WellOpened): { readonly target: string; readonly result: WellOpened['result'] } {
  return { target: seat.target.name, result };
}

/** MCP-008: a target that is skipped has a seat that nobody took. */
function seatIn(opened: Opened): Seat {
  return isOpened(opened) ? opened.seat : { target: opened.seat.target, sessionId: undefined, endpoint: undefined };
}
