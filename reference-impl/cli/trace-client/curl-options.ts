import { TraceFailure } from './trace-failure.ts';

/** Reads a file named by `-d @FILE`; `-` is the standard input. */
export type ReadFile = (path: string) => Buffer;

/** What the arguments after `--` said, before it is made into a request. */
export interface CurlOptions {
  readonly urls: string[];
  method?: string;
  head: boolean;
  /** Accept any certificate. */
  insecure: boolean;
  /** `name:password`. */
  user?: string;
  /** Header fields that an option implies; one given with `-H` replaces them. */
  readonly implied: Map<string, string>;
  /** The texts of `-H`, in order. */
  readonly headers: string[];
  /** The pieces of the body; empty when there is none. */
  readonly data: Buffer[];
}

/**
 * Reads arguments in the manner of curl: `-X POST`, `-XPOST`, `-sSXPOST`, `--request POST`.
 * Throws a TraceFailure for an option it does not know: a request that is not the one meant is worse than none.
 */
export function readCurlOptions(args: readonly string[], readFile: ReadFile): CurlOptions {
  const options: CurlOptions = { urls: [], head: false, insecure: false, implied: new Map(), headers: [], data: [] };
  const rest = args.values();
  for (const arg of rest) {
    if (!arg.startsWith('-')) options.urls.push(arg);
    else if (arg.startsWith('--')) apply(arg, () => rest.next().value);
    else applyShort(arg.slice(1), arg);
  }
  return options;

  function applyShort(letters: string, arg: string): void {
    const name = lookUp(SHORT, letters.slice(0, 1));
    if (name === undefined) throw new TraceFailure(`unknown option ${arg} after --`);
    const attached = letters.slice(1);
    const valueUsed = apply(name, () => (attached === '' ? rest.next().value : attached));
    if (!valueUsed && attached !== '') applyShort(attached, arg);
  }

  /** Returns whether the option took a value. */
  function apply(name: string, nextValue: () => string | undefined): boolean {
    const plain = lookUp(PLAIN, name);
    if (plain !== undefined) {
      plain(options);
      return false;
    }
    const valued = lookUp(VALUED, name);
    if (valued === undefined) throw new TraceFailure(`unknown option ${name} after --`);
    const value = nextValue();
    if (value === undefined) throw new TraceFailure(`option ${name} after -- needs a value`);
    valued(options, value, readFile);
    return true;
  }
}

/** Options without a value. Most only change what curl prints, and the response is not printed here. */
const PLAIN: Readonly<Record<string, (options: CurlOptions) => void>> = {
  '--head': (options) => {
    options.head = true;
  },
  '--insecure': (options) => {
    options.insecure = true;
  },
  '--silent': () => {},
  '--show-error': () => {},
  '--verbose': () => {},
  '--include': () => {},
  '--no-buffer': () => {},
  '--path-as-is': () => {},
  '--http1.1': () => {},
};

/** Options with a value. */
const VALUED: Readonly<Record<string, (options: CurlOptions, value: string, readFile: ReadFile) => void>> = {
  '--request': (options, value) => {
    options.method = value;
  },
  '--header': (options, value) => {
    options.headers.push(value);
  },
  '--data': (options, value, readFile) => {
    addForm(options, value.startsWith('@') ? withoutLineEnds(content(value, readFile)) : Buffer.from(value));
  },
  '--data-raw': (options, value) => {
    addForm(options, Buffer.from(value));
  },
  '--data-binary': (options, value, readFile) => {
    addForm(options, content(value, readFile));
  },
  '--json': (options, value, readFile) => {
    options.data.push(content(value, readFile));
    options.implied.set('Content-Type', 'application/json').set('Accept', 'application/json');
  },
  '--user-agent': (options, value) => {
    options.implied.set('User-Agent', value);
  },
  '--cookie': (options, value) => {
    options.implied.set('Cookie', value);
  },
  '--referer': (options, value) => {
    options.implied.set('Referer', value);
  },
  '--user': (options, value) => {
    options.user = value;
  },
  '--url': (options, value) => {
    options.urls.push(value);
  },
  '--output': () => {},
};

const SHORT: Readonly<Record<string, string>> = {
  X: '--request',
  H: '--header',
  d: '--data',
  A: '--user-agent',
  b: '--cookie',
  e: '--referer',
  u: '--user',
  o: '--output',
  I: '--head',
  k: '--insecure',
  s: '--silent',
  S: '--show-error',
  v: '--verbose',
  i: '--include',
  N: '--no-buffer',
};

/** Several pieces make one form, joined as curl joins them. */
function addForm(options: CurlOptions, piece: Buffer): void {
  if (options.data.length > 0) options.data.push(Buffer.from('&'));
  options.data.push(piece);
  if (!options.implied.has('Content-Type')) options.implied.set('Content-Type', 'application/x-www-form-urlencoded');
}

function content(value: string, readFile: ReadFile): Buffer {
  return value.startsWith('@') ? readFile(value.slice(1)) : Buffer.from(value);
}

function withoutLineEnds(bytes: Buffer): Buffer {
  return Buffer.from(bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0));
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
