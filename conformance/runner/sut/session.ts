/** Where something listens. The host is an address, not a name. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A canonical Kubernetes-style resource. */
export type Resource = Readonly<Record<string, unknown>>;

/** Everything that shall exist at one revision. */
export interface Delivery {
  readonly revision: number;
  /** Namespace to its resources; the canary has its own namespace. */
  readonly files: ReadonlyMap<string, readonly Resource[]>;
  /** Namespaces that are new, different or gone since the last delivery; the canary comes last. */
  readonly changed: readonly string[];
}

/** One reason why a resource was refused. */
export interface Violation {
  /** `Kind namespace/name` where the implementation says it. */
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly path?: string | undefined;
  readonly message: string;
}

/** What became of a delivery: handed over, refused with reasons, or failed. Handed over is not yet observed: that is the canary's word. */
export type Delivered =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'rejected'; readonly violations: readonly Violation[] }
  | { readonly kind: 'failed'; readonly message: string; readonly stuck?: Stuck };

/** It failed at an API server that is not the implementation's own: nobody knows what that would have made of it. */
export type Stuck = true;

/** Answer to an adapter operation. */
export type OperationAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'unsupported'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string; readonly stuck?: Stuck };

/** How the implementation names itself. */
export interface ImplementationInfo {
  readonly name: string;
  readonly version?: string | undefined;
  readonly vendor?: string | undefined;
  readonly language?: string | undefined;
  readonly url?: string | undefined;
}

/** Where the implementation is spoken to. */
export interface Endpoints {
  readonly data: Endpoint;
  readonly admin?: Endpoint | undefined;
  /** URL of the metrics in the Prometheus text format, where it is known. */
  readonly metrics?: string | undefined;
  /** Where Gateways have addresses of their own: host name of a listener, or a wildcard for it, to the address that serves it; `data` for all others. */
  readonly ofHosts?: ReadonlyMap<string, string>;
}

/** A running implementation. */
export interface Session {
  readonly implementation: ImplementationInfo;
  readonly endpoints: Endpoints;
  /** Set where there is no data plane: nothing is delivered, and cases that need traffic are not run. */
  readonly admissionOnly?: true;
  /** Manifest and adapter together: `yes` only where something says yes. */
  readonly features: Readonly<Record<string, boolean>>;
  /** Operations the adapter offers. */
  readonly ops: readonly string[];
  /** Answers to open points, such as `U-001: POST`. */
  readonly unspecified: Readonly<Record<string, unknown>>;
  /** Hands over a revision. Never throws for what the implementation does. */
  readonly deliver: (delivery: Delivery) => Promise<Delivered>;
  readonly op: (name: string, input: unknown, caseId: string) => Promise<OperationAnswer>;
  /** An effective policy of a phase, as a trace shows it, in canonical names. */
  readonly canonicalPolicy: (policy: unknown, phase: unknown) => unknown;
  /** Why the implementation is gone; undefined while it runs. */
  readonly crashed: () => string | undefined;
  /** The same, after waiting up to a limit for the end of a program that seems to be going. */
  readonly gone: (limitMs: number) => Promise<string | undefined>;
  /** Last lines of what it printed. */
  readonly logs: () => readonly string[];
  /** Remembers this moment; the answer gives the lines the implementation has logged since. */
  readonly markLogs: () => () => readonly string[];
  /** A canonical resource as the implementation gets it. */
  readonly asDelivered: (resource: Resource) => unknown;
  /** Starts it again on the same ports after a crash. Throws ImplementationFault. */
  readonly restart: () => Promise<void>;
  /** Stops it and removes what was created for it. May be called twice. */
  readonly stop: () => Promise<void>;
}

/** The implementation could not be started or used at all. Ends the run with exit code 3. */
export class ImplementationFault extends Error {
  override readonly name = 'ImplementationFault';
}

/** Something between the suite and the implementation that is neither did not do its part: a case that came by it says nothing. */
export class StuckFault extends Error {
  override readonly name = 'StuckFault';
}

/** A mistake in what the user wrote (manifest, flags). Ends the run with exit code 2. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}
