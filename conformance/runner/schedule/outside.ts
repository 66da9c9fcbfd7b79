import type { Outside } from '../steps/curl.ts';
import { stepKinds } from '../steps/registry.ts';
import type { Step } from '../steps/step.ts';
import { interpolate } from '../values/variables.ts';
import type { PreparedCase } from './prepare-case.ts';

/** The port `conform up` is asked for, so that a line of a report can name it. */
export const OUTSIDE_PORT = 18_080;

/** The steps of a case for a person with a terminal, while everything of it runs: a command each, or why there is none. */
export function outsideNow(prepared: PreparedCase): readonly string[] {
  return prepared.case.steps.map((step) =>
    asLine(step, outsideOf(step, prepared, prepared.instance.session.endpoints.data.port)),
  );
}

/** The same for a report: `conform up CASE --port` brings the case back, but what it makes anew cannot be told beforehand. */
export function outsideLater(prepared: PreparedCase): readonly string[] {
  const { session, manifest } = prepared.instance;
  const fixed = !hasChoosablePort(manifest);
  const now = volatileTexts(prepared);
  return prepared.case.steps.map((step) => {
    const outside = outsideOf(step, prepared, fixed ? session.endpoints.data.port : OUTSIDE_PORT);
    if ('cannot' in outside) return asLine(step, outside);
    const [, why] = now.find(([text]) => outside.command.includes(text)) ?? [];
    return asLine(step, why === undefined ? outside : { cannot: `${why}; conform up prints the command` });
  });
}

/** Whether the port of the data endpoint is the runner's choice. */
export function hasChoosablePort({ run, endpoints }: PreparedCase['instance']['manifest']): boolean {
  if (run.kind !== 'process' && run.kind !== 'container' && run.kind !== 'adapter') return false;
  return endpoints === undefined || /\{\{\s*port\.data\s*\}\}/.test(endpoints.data);
}

function outsideOf(step: Step, prepared: PreparedCase, port: number): Outside {
  const kind = stepKinds[step.kind];
  if (kind?.curl === undefined) return { cannot: CANNOT[step.kind] ?? `${step.kind} is no HTTP request` };
  const input = interpolate(step.input, prepared.scope, { at: step.at, dropNull: true, partial: true });
  if (JSON.stringify(input).includes('${') || !kind.schema.safeParse(input).success)
    return { cannot: 'it needs what an earlier step captured' };
  const { host } = prepared.instance.session.endpoints.data;
  const listenerPort = (name: string): number | undefined => {
    const own = prepared.listenerPort(name);
    return own === prepared.instance.session.endpoints.data.port ? port : own;
  };
  return kind.curl(input, { host: prepared.case.host, data: { host, port }, port: listenerPort });
}

const CANNOT: Readonly<Record<string, string>> = {
  raw: 'it sends raw bytes over a connection of its own',
  websocket: 'it is a conversation over a WebSocket',
  parallel: 'it sends several requests at the same time',
  repeat: 'it sends a request many times',
  apply: 'it changes the configuration in the middle of the case',
  trace: 'it watches the trace stream while other steps send',
  cli: 'it runs the trace client',
  terminal: 'it types into the trace client',
};

/** Texts that are others the next time, each with what it is. */
function volatileTexts({
  peers,
  tokens,
  case: one,
  listenerPort,
}: PreparedCase): readonly (readonly [string, string])[] {
  return [
    ...Object.entries(peers.variables().peers).flatMap(([name, { port }]): [string, string][] =>
      port > 0 ? [[`:${port}`, `it names the port of peer ${name}, which is another one each time`]] : [],
    ),
    ...Object.entries(tokens).flatMap(([name, token]): [string, string][] =>
      typeof token === 'string' && token !== ''
        ? [[token, `it carries the token ${name}, which is signed anew each time`]]
        : [],
    ),
    ...one.topology.listeners.flatMap(({ name, port }): [string, string][] =>
      port === 'own'
        ? [[`:${listenerPort(name) ?? ''}/`, `it goes to listener ${name}, whose port is another one each time`]]
        : [],
    ),
  ];
}

function asLine({ id, kind }: Step, outside: Outside): string {
  return 'command' in outside
    ? outside.command
    : `# step ${id} (${kind}) cannot be sent from outside: ${outside.cannot}`;
}
