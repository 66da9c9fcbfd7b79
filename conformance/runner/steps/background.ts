import type { Agent } from 'node:http';
import type { Observation } from './step.ts';

/** Something of a case that outlives the step that began it. */
export interface BackgroundTask {
  readonly stop: () => void;
}

/** An armed trace: its events come in while other steps run. */
export interface TraceWatch extends BackgroundTask {
  /** Resolves when the stream has ended, or after the limit; never rejects. */
  readonly settled: (limitMs: number) => Promise<void>;
  readonly observation: () => Observation;
}

/** A client program that runs in the background. */
export interface ClientRun extends BackgroundTask {
  readonly signal: (name: NodeJS.Signals) => void;
  /** Resolves with what the client did once it has ended, or after the limit with `running: true`. */
  readonly finish: (limitMs: number) => Promise<Observation>;
}

/** The background of one case. */
export interface Background {
  readonly traces: Map<string, TraceWatch>;
  readonly clients: Map<string, ClientRun>;
  /** Connections that steps share by name. */
  readonly connections: Map<string, Agent>;
  readonly stop: () => void;
}

/** Nothing in the background yet. */
export function createBackground(): Background {
  const background = {
    traces: new Map<string, TraceWatch>(),
    clients: new Map<string, ClientRun>(),
    connections: new Map<string, Agent>(),
  };
  return {
    ...background,
    stop: () => {
      for (const task of [...background.traces.values(), ...background.clients.values()]) task.stop();
      for (const agent of background.connections.values()) agent.destroy();
    },
  };
}
