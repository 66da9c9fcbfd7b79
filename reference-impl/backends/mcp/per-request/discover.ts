import type { Answer } from '../../../exchange/exchange.ts';
import { asString, type Json } from '../../json.ts';
import type { Asked } from '../asked.ts';
import { endSeats } from '../end-seats.ts';
import { messageAnswer } from '../event-stream.ts';
import { guardOutcome } from '../guards/guard-result.ts';
import { introduceAll } from '../initialize.ts';
import { mergeInitialize } from '../merge.ts';
import type { Request } from '../message.ts';
import type { WellOpened } from '../initialize.ts';
import { introduction } from '../visit.ts';
import { VERSIONS } from '../versions.ts';
import { SERVER_INFO } from './meta.ts';
import { cacheHints, inClientsRevision } from './results.ts';

/** MCP-001: tells a client without a session who its servers are, as one. docs/decisions/mcp-per-request.md */
export async function discover(asked: Asked, request: Request): Promise<Answer> {
  const introduced = await introduceAll(asked, request, introduction(asked));
  if ('status' in introduced) return introduced;
  const { well } = introduced;
  endSeats(
    asked,
    well.map(({ seat }) => seat),
  );
  const [only] = well;
  const result = asked.mcp.targets.length === 1 && only !== undefined ? discoveryOf(only) : mergedDiscovery(well);
  const outcome = await guardOutcome(asked, request, { result: { ...result, supportedVersions: VERSIONS } });
  return messageAnswer(asked, {
    kind: 'response',
    id: request.id,
    outcome: inClientsRevision(asked, request.method, outcome),
  });
}

function discoveryOf({ result, discovered }: WellOpened): Json {
  return discovered ?? asDiscovery(result);
}

function mergedDiscovery(well: readonly WellOpened[]): Json {
  const merged = mergeInitialize(well.map(({ seat, result }) => ({ target: seat.target.name, result })));
  return { ...asDiscovery(merged), ...cacheHints(well.map(discoveryOf)) };
}

/** What a server says of itself in a session, as a discovery has it. */
function asDiscovery({ capabilities, instructions, serverInfo }: Json): Json {
  const text = asString(instructions);
  return {
    capabilities: capabilities ?? {},
    ...(text !== undefined && { instructions: text }),
    _meta: { [SERVER_INFO]: serverInfo },
  };
}
