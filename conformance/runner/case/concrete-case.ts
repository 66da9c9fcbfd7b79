import type { Path } from '../values/check.ts';
import type { Step } from '../steps/step.ts';
import type { JsonObject } from '../values/json.ts';
import type { Position } from '../values/source-document.ts';
import type { Level } from '../verdict/verdict.ts';

/** One case with one row: everything is decided except what is only known at run time (ports, captures). */
export interface ConcreteCase {
  /** `base.id`, `base.id[row]` or `base.id[row]@op`; unique in the suite. */
  readonly id: string;
  readonly baseId: string;
  readonly suite: string;
  readonly title: string;
  /** The case file, relative to the package root. */
  readonly file: string;
  readonly clauses: readonly Citation[];
  readonly level: Level;
  readonly layer: Layer;
  readonly isolation: Isolation;
  /** The window this instance of the case looks through, when the case names several. */
  readonly vantage?: Vantage;
  readonly needs: readonly string[];
  readonly assumes: readonly string[];
  /** Ids of the cases that show what this one stands on, without a row for all rows. */
  readonly requires?: readonly string[];
  readonly kills: readonly string[];
  /** Made from the table of fields: what it kills is named by the written case for all of them. */
  readonly generated?: true;
  /** Paths into the observation of the case (`received.up`) without which the verdict is inconclusive. */
  readonly witness: readonly string[];
  readonly row: JsonObject;
  /** `c-` and eight hex digits of the sha256 of `id`. */
  readonly namespace: string;
  /** `<namespace>.test`, the host name of the case's shared listener. */
  readonly host: string;
  readonly topology: Topology;
  /** Resources as written: shorthand not yet filled, variables of peers still open. */
  readonly config: readonly JsonObject[];
  /** Peer scripts by name, as written; `kind` is checked. */
  readonly peers: Readonly<Record<string, JsonObject>>;
  /** Tokens by name, signed before the first step; those that stand in steps are among them. */
  readonly tokens?: JsonObject | undefined;
  readonly steps: readonly Step[];
  readonly expect: CaseExpectation;
  readonly property?: JsonObject | undefined;
  /** What becomes of each rendered resource before the implementation gets it; only field ablation sets it. */
  readonly alter?: (resource: JsonObject) => JsonObject;
  /** Where the case stands in its file. */
  readonly at: Path;
  /** The place of the value at a path of this case's file, or of its key, for a message with a caret. */
  readonly position: (path: Path, key?: 'key') => Position;
}

/** A clause and the polarity in which the case shows it. */
export interface Citation {
  readonly id: string;
  readonly as: 'positive' | 'negative';
}

export type Layer = 'op' | 'wire' | 'trace' | 'property' | 'cluster';
export type Isolation = 'host' | 'instance' | 'exclusive';
export type Vantage = 'op' | 'trace' | 'wire';

/** What is judged after the steps. */
export interface CaseExpectation {
  /** Peer name to what its ledger must hold: a list is exact in count and order. */
  readonly received?: JsonObject;
  /** Peer name to the number of connections. */
  readonly attempted?: JsonObject;
  /** Name of a watch to closed, sequence, events, invariants. */
  readonly trace?: JsonObject;
  /** `accepted`, `rejected`, or an object that says more. */
  readonly config?: unknown;
}

/** Listeners and routes in neutral form, defaults filled in. */
export interface Topology {
  readonly gateway?: { readonly name: string };
  readonly listeners: readonly TopologyListener[];
  readonly listenerSets: readonly TopologyListenerSet[];
  readonly routes: readonly TopologyRoute[];
}

export interface TopologyListener {
  readonly name: string;
  /** Absent: the listener takes every host. */
  readonly hostname?: string;
  /** `shared` is the data port of the implementation, `own` a free port chosen for this listener. */
  readonly port: 'shared' | 'own';
  /** Secrets whose certificates it shows; absent: it takes plain HTTP. */
  readonly certificates?: readonly string[];
}

export interface TopologyListenerSet {
  readonly name: string;
  readonly listeners: readonly TopologyListener[];
}

export interface TopologyRoute {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly hostnames: readonly string[];
  /** Listener (sectionName) the route attaches to; absent: every listener of the parent. */
  readonly listener?: string;
  /** ListenerSet that is the parent instead of the gateway. */
  readonly listenerSet?: string;
  readonly rules: readonly TopologyRule[];
}

export interface TopologyRule {
  readonly name?: string;
  readonly path?: { readonly exact?: string; readonly prefix?: string; readonly regex?: string };
  readonly method?: string;
  readonly headers?: unknown;
  readonly query?: unknown;
  readonly to: readonly TopologyTarget[];
  /** Filters and timeouts of Gateway API, taken over as written. */
  readonly filters?: readonly unknown[];
  readonly timeouts?: unknown;
}

export interface TopologyTarget {
  /** `peer` makes a ProxyBackend, `service` a Service with an EndpointSlice for the peer, `backend` names one of `config`. */
  readonly kind: 'peer' | 'service' | 'backend';
  readonly name: string;
  readonly namespace?: string;
  /** Port of a Service; 80 when absent. */
  readonly port?: unknown;
  readonly weight?: number;
  readonly filters?: readonly unknown[];
}
