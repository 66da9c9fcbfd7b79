import type { ReadFile } from './curl-options.ts';
import { type InjectedRequest, parseRequestArguments } from './request-arguments.ts';
import { TraceFailure } from './trace-failure.ts';

/** The flags of the command as they were typed. */
export interface TraceFlags {
  readonly local?: boolean;
  readonly raw?: boolean;
  readonly port?: string;
  readonly proxyAdminPort?: string;
  readonly expression?: string;
  readonly file?: string;
  readonly namespace?: string;
}

/** What the command will do. */
export type TracePlan = ReplayPlan | LivePlan;

/** Shows a trace that was saved. */
export interface ReplayPlan {
  readonly kind: 'replay';
  readonly path: string;
  readonly raw: boolean;
}

/** Traces one request: any, or the one it sends itself. */
export interface LivePlan {
  readonly kind: 'live';
  readonly raw: boolean;
  readonly adminPort: number;
  readonly expression: string | undefined;
  /** Undefined with `--local`: the whole instance is watched. */
  readonly gateway: { readonly resource: string | undefined; readonly namespace: string | undefined } | undefined;
  readonly injection: Injection | undefined;
}

/** The request the client sends itself, and the data listener it goes to. */
export interface Injection {
  readonly port: number;
  readonly request: InjectedRequest;
}

/** Throws a TraceFailure for flags that do not go together. `requestArguments` is what stood after `--`. */
export function planTrace(
  resources: readonly string[],
  flags: TraceFlags,
  requestArguments: readonly string[],
  readFile: ReadFile,
): TracePlan {
  const raw = flags.raw === true;
  const conflict = CONFLICTS.find(({ when }) => when({ resources, flags, requestArguments }));
  if (conflict !== undefined) throw new TraceFailure(conflict.message);
  if (flags.file !== undefined) return { kind: 'replay', path: flags.file, raw };

  return {
    kind: 'live',
    raw,
    adminPort: portOf('--proxy-admin-port', flags.proxyAdminPort ?? '15000'), // TRACE-011
    expression: flags.expression,
    gateway: flags.local === true ? undefined : { resource: resources[0], namespace: flags.namespace },
    injection:
      flags.port === undefined
        ? undefined
        : { port: portOf('--port', flags.port), request: parseRequestArguments(requestArguments, readFile) },
  };
}

interface Typed {
  readonly resources: readonly string[];
  readonly flags: TraceFlags;
  readonly requestArguments: readonly string[];
}

/** The first that applies is reported. */
const CONFLICTS: readonly { readonly when: (typed: Typed) => boolean; readonly message: string }[] = [
  { when: ({ resources }) => resources.length > 1, message: 'more than one resource: name one gateway' },
  {
    when: ({ resources, flags, requestArguments }) =>
      flags.file !== undefined &&
      (resources.length > 0 ||
        flags.local === true ||
        flags.expression !== undefined ||
        flags.port !== undefined ||
        requestArguments.length > 0),
    message: '--file shows a saved trace: it goes with no resource, --local, --expression, --port or request',
  },
  {
    when: ({ resources, flags }) => flags.local === true && resources.length > 0,
    message: '--local traces the instance on this machine: it goes with no resource',
  },
  {
    when: ({ flags, requestArguments }) => flags.port === undefined && requestArguments.length > 0,
    message: 'a request after -- needs --port, the port of the data listener',
  },
  {
    when: ({ flags, requestArguments }) => flags.port !== undefined && requestArguments.length === 0,
    message: '--port needs a request: add -- URL',
  },
];

function portOf(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new TraceFailure(`${flag} must be a port from 1 to 65535, not ${text}`);
  return port;
}
