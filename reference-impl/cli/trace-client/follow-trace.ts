import { createReadStream } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import { openTraceStream, type TraceStream } from './admin-client.ts';
import { resolveGateway, type SelectedGateway } from './gateway-resource.ts';
import { createPayloadReader, payloadType } from './payloads.ts';
import { connectData, type DataConnection } from './send-request.ts';
import { reasonOf, TraceFailure } from './trace-failure.ts';
import type { Injection, LivePlan, ReplayPlan } from './trace-plan.ts';

/** What the reader of a trace is told while it goes on. */
export interface TraceProgress {
  /** The proxy waits for the request (or the file is open). Called once, before the first payload. */
  readonly armed: () => void;
  /** The injected request is on its way. */
  readonly sent: () => void;
  /** One event, as the JSON text that came. */
  readonly payload: (text: string) => void | Promise<void>;
}

/** `complete`: the trace ended with requestFinished (TRACE-056). `cut`: the stream ended, the trace did not. */
export type TraceEnd = 'complete' | 'cut';

/** Follows one trace to its end. Throws a TraceFailure when there is none to follow. Aborting the signal ends it. */
export async function followTrace(
  plan: LivePlan,
  progress: TraceProgress,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<TraceEnd> {
  const gateway = await gatewayOf(plan);
  const connection = plan.injection === undefined ? undefined : await connectData(plan.injection.port);
  try {
    const stream = await openTraceStream(plan.adminPort, {
      expression: plan.expression,
      gateway: gateway && gatewayText(gateway),
      sourcePort: connection?.localPort,
    });
    signal.addEventListener('abort', stream.close);
    progress.armed();
    return await follow({ stream, connection }, plan, { progress, clock });
  } finally {
    connection?.close();
  }
}

/** Shows a saved trace, from a file or from the standard input (`-`). Throws a TraceFailure when it cannot be read. */
export async function replayTrace({ path }: ReplayPlan, progress: TraceProgress): Promise<TraceEnd> {
  const reader = createPayloadReader();
  let end: TraceEnd = 'cut';
  const pass = async (payloads: readonly string[]): Promise<void> => {
    for (const payload of payloads) {
      if (payloadType(payload) === 'requestFinished') end = 'complete';
      await progress.payload(payload);
    }
  };
  progress.armed();
  try {
    const input = path === '-' ? process.stdin : createReadStream(path);
    for await (const chunk of input.setEncoding('utf8')) await pass(reader.push(String(chunk)));
    await pass(reader.end());
  } catch (error) {
    throw error instanceof TraceFailure ? error : new TraceFailure(`failed to read ${path}: ${reasonOf(error)}`);
  }
  return end;
}

async function gatewayOf({ gateway, adminPort, injection }: LivePlan): Promise<SelectedGateway | undefined> {
  if (gateway === undefined) return undefined;
  const found = await resolveGateway(adminPort, gateway.resource, gateway.namespace);
  if (injection !== undefined && !found.ports.includes(injection.port)) {
    throw new TraceFailure(
      `gateway/${found.name} has no listener on port ${injection.port}, only on ${found.ports.join(', ')}`,
    );
  }
  return found;
}

/** As the endpoint reads it. */
function gatewayText({ namespace, name }: SelectedGateway): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Passes on what comes until the server ends the stream, while the injected request runs beside it. */
async function follow(
  { stream, connection }: { readonly stream: TraceStream; readonly connection: DataConnection | undefined },
  { injection }: LivePlan,
  { progress, clock }: { readonly progress: TraceProgress; readonly clock: Clock },
): Promise<TraceEnd> {
  let end: TraceEnd = 'cut';
  let events = 0;
  let streaming = true;
  let failure: TraceFailure | undefined;
  let stopWaiting: (() => void) | undefined;

  /** A request that broke off may still have been traced: its last events are on their way, but not for ever. */
  const waitAtMost = (reason: TraceFailure): void => {
    stopWaiting?.();
    stopWaiting = clock.after(GRACE_MS, () => {
      failure = reason;
      stream.close();
    });
  };
  const inject = async (open: DataConnection, { request }: Injection): Promise<void> => {
    progress.sent();
    try {
      await open.send(request);
      if (streaming && events === 0) waitAtMost(new TraceFailure(NOT_TAKEN));
    } catch (error) {
      failure = error instanceof TraceFailure ? error : new TraceFailure(reasonOf(error));
      if (streaming) waitAtMost(failure);
    }
  };
  const injected = injection && connection && inject(connection, injection);

  try {
    for await (const payload of stream.payloads) {
      events += 1;
      stopWaiting?.();
      if (failure !== undefined) waitAtMost(failure);
      if (payloadType(payload) === 'requestFinished') end = 'complete';
      await progress.payload(payload);
    }
  } catch (error) {
    throw failure ?? error;
  } finally {
    streaming = false;
    stopWaiting?.();
    stream.close();
  }
  // The end of the trace may overtake the end of the response.
  if (injected !== undefined) await waitWithGrace(injected, clock);
  if (failure !== undefined) throw failure;
  return end;
}

/** Waits for the promise, but not for ever. */
async function waitWithGrace(promise: Promise<void>, clock: Clock): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(GRACE_MS, resolve);
  await Promise.race([promise, tooLong]);
  cancel();
}

const GRACE_MS = 2000;

const NOT_TAKEN =
  'the request was answered but not traced: it reached another gateway, or the expression does not match it';
