import { InvalidArgumentError, type Command } from 'commander';
import { judgeLiveTrace, type Broken } from '../live/judge-live-trace.ts';
import { readTraces, type LiveTrace } from '../live/read-traces.ts';
import { parseDuration } from '../sut/duration.ts';
import { UsageFault } from '../sut/session.ts';
import { EXIT, type ExitCode } from '../verdict/exit-code.ts';
import { reportFault } from './fault.ts';
import { interruptSignal } from './interrupt.ts';
import { natural } from './options.ts';

interface LiveFlags {
  readonly time: number;
  readonly traces?: number;
  readonly method: string;
}

/** Adds `conform live-check URL`: judges the traces of a proxy that runs, without sending it a request of its own. */
export function addLiveCheckCommand(program: Command): void {
  program
    .command('live-check')
    .description(
      'judge the trace stream of a running proxy by what the trace document states; sends no requests through it',
    )
    .argument('<url>', 'admin listener, for example http://127.0.0.1:15000')
    .option('--time <duration>', 'how long to listen, for example 30s or 5m', milliseconds, 30_000)
    .option('--traces <n>', 'end after so many traces', natural)
    .option('--method <method>', 'method of the trace endpoint, which the document leaves open', 'POST')
    .action(async (url: string, flags: LiveFlags) => {
      process.exitCode = await liveCheck(url, flags);
    });
}

async function liveCheck(written: string, { time, traces: most = Infinity, method }: LiveFlags): Promise<ExitCode> {
  try {
    const url = endpointOf(written);
    const stop = AbortSignal.any([interruptSignal(), AbortSignal.timeout(time)]);
    let judged = 0;
    let wrong = 0;
    for await (const trace of readTraces(url, { method, stop })) {
      judged += 1;
      const broken = [...brokenStream(trace), ...judgeLiveTrace(trace.records)];
      wrong += broken.length === 0 ? 0 : 1;
      process.stdout.write(textOf(judged, trace, broken));
      if (judged >= most) break;
    }
    process.stdout.write(`${judged} traces judged, ${wrong} of them wrong\n`);
    // Who saw nothing has shown nothing.
    if (judged === 0) return EXIT.broken;
    return wrong === 0 ? EXIT.passed : EXIT.failed;
  } catch (error) {
    return reportFault(error);
  }
}

function endpointOf(written: string): URL {
  if (!URL.canParse(written) || !written.startsWith('http'))
    throw new UsageFault(`${written} is no URL of an admin listener`);
  return new URL('/debug/trace', written);
}

/** What the stream itself did: its framing, and its end after the request was finished. */
function brokenStream({ contentType, malformed, ended }: LiveTrace): readonly Broken[] {
  return [
    ...(contentType.startsWith('text/event-stream')
      ? []
      : [{ clause: 'TRACE-002', record: 0, why: `content-type is ${contentType || 'absent'}` }]),
    ...malformed.map((text) => ({ clause: 'TRACE-061', record: 0, why: `no JSON: ${text.slice(0, 80)}` })),
    ...(ended ? [] : [{ clause: 'TRACE-058', record: 0, why: 'the stream goes on after requestFinished' }]),
  ];
}

function textOf(number: number, { records }: LiveTrace, broken: readonly Broken[]): string {
  const head = `${broken.length === 0 ? 'pass' : 'fail'}  trace ${number}: ${records.length} events\n`;
  return (
    head +
    broken
      .map(({ clause, record, why }) => `      ${clause} ${record === 0 ? '' : `event ${record}: `}${why}\n`)
      .join('')
  );
}

function milliseconds(text: string): number {
  const value = parseDuration(text);
  if (value === undefined || value <= 0) throw new InvalidArgumentError('a duration like 500ms, 30s or 5m is wanted');
  return value;
}
