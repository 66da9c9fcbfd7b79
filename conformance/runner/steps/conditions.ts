import { match } from '../values/match.ts';
import { ledgerShows } from '../peers/ledger-shows.ts';
import { CaseFault, type Observation, type StepContext } from './step.ts';

type Ledger = ReturnType<StepContext['peers']['get']>['ledger'];

interface Awaited {
  readonly peer?: string | undefined;
  readonly idle?: true | undefined;
  readonly received?: number | string | undefined;
  readonly attempted?: number | string | undefined;
  /** What entries are like that received counts; all of them when absent. */
  readonly like?: unknown;
  readonly open?: string | undefined;
  readonly trace?: string | undefined;
}

/** Waits for the condition or the limit of the step; `reached` says which it was. Throws CaseFault for a name nobody has. */
export async function awaitCondition(input: Awaited, context: StepContext): Promise<Observation> {
  if (input.open !== undefined) return openGate(input.open, context);
  if (input.trace !== undefined) return awaitTrace(input.trace, context);
  const ledger = ledgerOf(input.peer ?? '', context);
  const wanted = { received: Number(input.received ?? 0), attempted: Number(input.attempted ?? 0) };
  const alikeIn = ({ entries }: typeof ledger): typeof entries =>
    entries.filter((entry) => entry.settled && (input.like === undefined || isLike(input.like, entry.view())));
  const isThere = (now: typeof ledger): boolean => {
    if (input.idle === true) return now.active === 0;
    return alikeIn(now).length >= wanted.received && (now.attempted ?? 0) >= wanted.attempted;
  };
  const reached = await ledgerShows(ledger, isThere, context.limitMs);
  return {
    reached,
    received: ledger.entries.length,
    attempted: ledger.attempted,
    ...(input.like === undefined ? {} : { alike: alikeIn(ledger).length, traces: tracesOf(alikeIn(ledger)) }),
    ...(reached ? {} : { failure: 'timeout' }),
  };
}

/** How many traces spans are of: a request may have more than one span. */
function tracesOf(entries: Ledger['entries']): number {
  return new Set(entries.map((entry) => entry.view()['traceId'])).size;
}

function isLike(wanted: unknown, seen: Readonly<Record<string, unknown>>): boolean {
  return match(wanted, seen, { at: [], what: '', mode: 'subset', scope: {}, captures: new Map() }).every(
    ({ ok }) => ok,
  );
}

function openGate(gate: string, context: StepContext): Observation {
  context.timeline.add('client', `opens gate ${gate}`);
  context.peers.gates.open(gate);
  return { reached: true };
}

async function awaitTrace(name: string, context: StepContext): Promise<Observation> {
  const watch = context.background.traces.get(name);
  if (watch === undefined) throw new CaseFault(`no trace ${name} was armed before`);
  await watch.settled(context.limitMs);
  const reached = watch.observation()['closed'] === true;
  return { reached, ...(reached ? {} : { failure: 'timeout' }) };
}

function ledgerOf(peer: string, context: StepContext): Ledger {
  try {
    return context.peers.get(peer).ledger;
  } catch (error) {
    throw new CaseFault(error instanceof Error ? error.message : String(error));
  }
}
