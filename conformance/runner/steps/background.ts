import type { Agent } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';

/** What a step sees; spelled out here because steps know their background. */
type Seen = Readonly<Record<string, unknown>>;

/** Something of a case that outlives the step that began it. */
export interface BackgroundTask {
  readonly stop: () => void;
}

/** An armed trace: its events come in while other steps run. */
export interface TraceWatch extends BackgroundTask {
  /** Resolves when the stream has ended, or after the limit; never rejects. */
  readonly settled: (limitMs: number) => Promise<void>;
  readonly observation: () => Seen;
}

/** A client program that runs in the background. */
export interface ClientRun extends BackgroundTask {
  readonly signal: (name: NodeJS.Signals) => void;
  /** Resolves with what the client did once it has ended, or after the limit with `running: true`. */
  readonly finish: (limitMs: number) => Promise<Seen>;
}

/** A client program on a terminal of its own. */
export interface TerminalRun extends BackgroundTask {
  /** Types keys. */
  readonly type: (keys: readonly Key[]) => void;
  /** Looks at the terminal until what is seen is wanted, the program has ended, or the limit has passed; what was seen last. */
  readonly look: (wanted: (seen: Seen) => boolean, limitMs: number) => Promise<Seen>;
}

/** A key by name or letter, or one held for that many times. */
export type Key = string | Readonly<Record<string, number>>;

/** The background of one case. */
export interface Background {
  readonly traces: Map<string, TraceWatch>;
  readonly clients: Map<string, ClientRun>;
  readonly terminals: Map<string, TerminalRun>;
  /** Connections that steps share by name. */
  readonly connections: Map<string, Agent>;
  /** The same for HTTP/2. */
  readonly sessions: Map<string, ClientHttp2Session>;
  readonly stop: () => void;
}

/** Nothing in the background yet. */
export function createBackground(): Background {
  const background = {
    traces: new Map<string, TraceWatch>(),
    clients: new Map<string, ClientRun>(),
    terminals: new Map<string, TerminalRun>(),
    connections: new Map<string, Agent>(),
    sessions: new Map<string, ClientHttp2Session>(),
  };
  return {
    ...background,
    stop: () => {
      const { traces, clients, terminals } = background;
      for (const task of [...traces.values(), ...clients.values(), ...terminals.values()]) task.stop();
      for (const agent of background.connections.values()) agent.destroy();
      for (const session of background.sessions.values()) session.destroy();
    },
  };
}
