import { createLaneChooser } from '../lanes.ts';
import type { Match, Reply, Signal, TelemetryScript } from './script.ts';

/** How an export came, and what it holds. */
export interface Export {
  readonly signal: Signal;
  readonly protocol: 'grpc' | 'http';
}

/** Chooses the reply to each export. */
export function createChooser(script: TelemetryScript): (asked: Export) => Partial<Reply> {
  return createLaneChooser<Match, Reply, Export>(script, { matches });
}

function matches({ signal, protocol }: Match, asked: Export): boolean {
  return (signal ?? asked.signal) === asked.signal && (protocol ?? asked.protocol) === asked.protocol;
}
