import type { Answer } from '../../exchange/exchange.ts';
import type { Asked, Seat } from './asked.ts';
import { endSeats } from './end-seats.ts';
import { messageAnswer } from './event-stream.ts';
import { decisive, setbackAnswer } from './failures.ts';
import { guardOutcome } from './guards/guard-result.ts';
import { asObject } from '../json.ts';
import { mergeInitialize, type Result } from './merge.ts';
import type { Request } from './message.ts';
import { openSeat } from './open-seat.ts';
import type { Opened } from './opened.ts';
import { refuseMcp } from './refusals.ts';
import { beginSession } from './session.ts';
import { isPerRequest, sessionedVersion } from './versions.ts';

/** MCP-001: begins a session at every target, and tells the client of one. */
export async function initialize(asked: Asked, request: Request): Promise<Answer> {
  const { mcp } = asked;
  const introduced = await introduceAll(asked, request, request);
  if ('status' in introduced) return introduced;
  const { opened, well } = introduced;
  const results = well.map((each) => forSession(each, request, mcp.stateful));
  const result = mcp.targets.length === 1 ? results[0]?.result : mergeInitialize(results);
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
  const { id } = beginSession(asked, opened.map(seatIn), request.params?.['capabilities']);
  return messageAnswer(asked, response, id === undefined ? [] : [['mcp-session-id', id]]);
}

/** All targets that introduced themselves, or what the client is told where too few did; `introduction` is what they hear. */
export async function introduceAll(
  asked: Asked,
  request: Request,
  introduction: Request,
): Promise<Introduced | Answer> {
  const { mcp } = asked;
  if (mcp.targets.length === 0) return refuseMcp('noBackends');
  const opened = await Promise.all(mcp.targets.map((target) => openSeat(asked, target, introduction)));
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
  return { opened, well };
}

export interface Introduced {
  readonly opened: readonly Opened[];
  readonly well: readonly WellOpened[];
}

export type WellOpened = Extract<Opened, { kind: 'opened' }>;

function isOpened(opened: Opened): opened is WellOpened {
  return opened.kind === 'opened';
}

function declined(asked: Asked, deciding: Exclude<Opened, WellOpened>, { id }: Request): Answer {
  if (deciding.kind === 'declines') return messageAnswer(asked, { ...deciding.response, id });
  return setbackAnswer(asked, deciding, id);
}

/** What a server without sessions says of itself is said in a revision that has them; there must be one where a client hears of resources. */
function forSession({ seat, result }: WellOpened, { params }: Request, stateful: boolean): Result {
  const target = seat.target.name;
  if (!isPerRequest(seat)) return { target, result };
  const capabilities = asObject(result['capabilities']) ?? {};
  const { subscribe, ...others } = asObject(capabilities['resources']) ?? {};
  const resources = { ...others, ...(stateful && subscribe !== undefined && { subscribe }) };
  return {
    target,
    result: {
      ...result,
      protocolVersion: sessionedVersion(params?.['protocolVersion']),
      capabilities: { ...capabilities, ...(capabilities['resources'] !== undefined && { resources }) },
    },
  };
}

/** MCP-008: a target that is skipped has a seat that nobody took. */
function seatIn(opened: Opened): Seat {
  return isOpened(opened) ? opened.seat : { target: opened.seat.target, sessionId: undefined, endpoint: undefined };
}
