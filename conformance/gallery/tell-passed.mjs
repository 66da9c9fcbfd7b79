// Preloaded into every process of the reference (`node --import`), and so into its threads: counts what they execute, and says on order which
// places of the sources were executed since the last order. CONFORM_PASSED is JSON `{folder, sources}`: a folder with `orders/order.json`,
// which holds the number of the order, `running/`, where everybody who hears orders has a file, and `told/`, where the answers go; and the URL
// under which the sources are. An answer is `{file: [start, end, start, end, …]}`, offsets in the text: stripping types keeps them.
import { readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { isMainThread, threadId } from 'node:worker_threads';

const named = process.env.CONFORM_PASSED;
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'];

if (named !== undefined) {
  const { folder, sources } = JSON.parse(named);
  const id = `${process.pid}-${threadId}`;
  // V8 does not count calls of what it has optimized, unless there are blocks in it.
  for (const flag of ['--no-opt', '--no-maglev']) setFlagsFromString(flag);
  const session = new Session();
  session.connect();
  post(session, 'Profiler.enable');
  post(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true });

  const readOrder = () => readFileSync(path.join(folder, 'orders/order.json'), 'utf8');
  const tell = (when) => write(folder, `told/${when}-${id}.json`, JSON.stringify(passedSince(session, sources)));
  let heard = readOrder();
  const look = () => {
    const order = readOrder();
    if (order === heard) return;
    heard = order;
    tell(order);
  };
  // Nothing that is watched keeps a process from ending.
  watch(path.join(folder, 'orders'), { persistent: false }, look);
  // Whoever is named here is waited for.
  write(folder, `running/${id}`, '');
  const end = () => {
    tell('ended');
    rmSync(path.join(folder, 'running', id), { force: true });
  };
  process.on('exit', end);
  if (isMainThread) for (const signal of SIGNALS) endWith(signal, end);
  // An order may have come meanwhile.
  look();
}

/** A signal that nobody else listens to ends the process without another word. */
function endWith(signal, end) {
  const listener = () => {
    if (process.listenerCount(signal) > 1) return;
    process.off(signal, listener);
    end();
    process.kill(process.pid, signal);
  };
  process.on(signal, listener);
}

/** In the same thread, the answer is there at once. */
function post(session, method, params) {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
}

/** V8 leaves out what was executed neither itself nor in what is around it; its counters begin again. */
function passedSince(session, sources) {
  const passed = {};
  for (const { url, functions } of post(session, 'Profiler.takePreciseCoverage').result) {
    if (!url.startsWith(sources)) continue;
    const text = textOf(url);
    const places = executedPlaces(functions.flatMap(({ ranges }) => asExecuted(ranges, text)));
    const file = url.slice(sources.length).replace(/[?#].*/, '');
    if (places.length > 0) passed[file] = [...(passed[file] ?? []), ...places];
  }
  return passed;
}

const texts = new Map();

function textOf(url) {
  const text = texts.get(url) ?? readFileSync(fileURLToPath(url), 'utf8');
  texts.set(url, text);
  return text;
}

/**
 * What waited at an `await` when the counters began again goes on without being counted from its begin: around what was executed, the rest of
 * the function may have been, too, such as the condition of a loop. The first range is that of the function.
 */
function asExecuted(ranges, text) {
  const [{ startOffset, endOffset }] = ranges;
  const waits = /\bawait\b/.test(text.slice(startOffset, endOffset));
  return ranges.map(({ startOffset: start, endOffset: end, count }, index) => ({
    start,
    end,
    executed:
      count > 0 ||
      ranges.some((one) => one.count > 0 && one.startOffset >= start && one.endOffset <= end) ||
      (waits && index > 0 && isUnsure(text.slice(0, start).trimEnd(), text.slice(start, end))),
  }));
}

/** V8 takes what stands behind `a ?? await b`, `a ? b : await c` and `a ||= await b` to be executed only where the `await` is. */
function isUnsure(before, code) {
  if (/^\s*(?:[?:]|&&|\|\|)/.test(code)) return /\bawait\b/.test(code);
  const isBody = before.endsWith(')') && /^\s*[^\s)\],;}]/.test(code);
  return !isBody && /\bawait\b/.test(lastStatement(before));
}

/** The formatter indents what belongs to it. */
function lastStatement(code) {
  const lines = code.split('\n');
  const indent = lines.at(-1).search(/\S/);
  const first = lines.findLastIndex((line) => /^\s*[^\s)\]}]/.test(line) && line.search(/\S/) <= indent);
  return lines.slice(Math.max(first, 0)).join('\n');
}

/** Of ranges within each other the innermost says whether a place was executed. */
function executedPlaces(ranges) {
  const places = [];
  const open = [];
  let at = 0;
  const upTo = (to) => {
    if (to <= at) return;
    if (open.at(-1)?.executed) {
      if (places.at(-1) === at) places[places.length - 1] = to;
      else places.push(at, to);
    }
    at = to;
  };
  const closeBefore = (start) => {
    while (open.length > 0 && open.at(-1).end <= start) {
      upTo(open.at(-1).end);
      open.pop();
    }
  };
  for (const range of ranges.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    closeBefore(range.start);
    upTo(range.start);
    open.push(range);
  }
  closeBefore(Infinity);
  return places;
}

/** Nobody reads half a file. */
function write(folder, name, text) {
  const file = path.join(folder, name);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
