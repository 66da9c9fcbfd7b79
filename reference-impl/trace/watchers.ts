import type { View } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import type { Program, VariableSource } from '../cel/compile.ts';
import { reachesGateway, type GatewaySelection } from './gateway-selection.ts';
import { createRecorder, DISCARD, type Recorder, type TraceSink } from './recorder.ts';

/** The clients waiting for a request to trace, first come first served (TRACE-003, TRACE-094). */
export interface Watchers {
  /** Waits for one request. The returned function stops waiting; after a request was taken it does nothing. */
  readonly watch: (options: WatchOptions, sink: TraceSink) => () => void;
  /** Offers a request that just arrived, before anything was done to it. The discarding recorder when nobody takes it. */
  readonly recorderFor: (arrival: Arrival) => Recorder;
  /** Whether anybody waits: false spares the caller from describing the arrival. */
  readonly waiting: () => boolean;
}

/** Every condition that is given must hold. */
export interface WatchOptions {
  /** Sees `request` only; an error or a value that is not a boolean does not match. */
  readonly expression?: Program;
  readonly gateway?: GatewaySelection;
  /** The downstream port of the connection: how the client of inject mode names its own request (CLI-029). */
  readonly sourcePort?: number;
}

/** What is known of a request at the moment it arrives. */
export interface Arrival {
  /** The data port that accepted the connection. */
  readonly port: number;
  /** Host as the client sent it, with port when it had one; empty when it sent none. */
  readonly host: string;
  readonly source: { readonly port: number };
  /** Asked for the root `request` only. */
  readonly variables: VariableSource;
}

/** `view` gives the configuration of the moment: it says which gateway a host on a port belongs to. */
export function createWatchers({ clock, view }: { readonly clock: Clock; readonly view: () => View }): Watchers {
  const pending = new Set<Watcher>();

  return {
    watch: (options, sink) => {
      const watcher = { options, sink };
      pending.add(watcher);
      return () => {
        pending.delete(watcher);
      };
    },
    recorderFor: (arrival) => {
      for (const watcher of pending) {
        if (!wants(watcher.options, arrival, view)) continue;
        pending.delete(watcher);
        return createRecorder(watcher.sink, clock);
      }
      return DISCARD;
    },
    waiting: () => pending.size > 0,
  };
}

interface Watcher {
  readonly options: WatchOptions;
  readonly sink: TraceSink;
}

function wants({ sourcePort, gateway, expression }: WatchOptions, arrival: Arrival, view: () => View): boolean {
  if (sourcePort !== undefined && sourcePort !== arrival.source.port) return false;
  if (gateway !== undefined && !reachesGateway(view(), gateway, arrival.port, arrival.host)) return false;
  return expression === undefined || holds(expression, arrival);
}

function holds(expression: Program, arrival: Arrival): boolean {
  const result = expression.evaluate((root) => (root === 'request' ? arrival.variables(root) : undefined));
  return result.ok && result.value === true;
}
