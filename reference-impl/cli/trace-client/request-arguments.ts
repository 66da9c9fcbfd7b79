import { type CurlOptions, readCurlOptions, type ReadFile } from './curl-options.ts';
import { TraceFailure } from './trace-failure.ts';

/** The request of inject mode, complete: nothing is added when it is sent. */
export interface InjectedRequest {
  readonly scheme: 'http' | 'https';
  /** Host of the URL without port: a TLS server name at most, never looked up (CLI-016). */
  readonly hostname: string;
  readonly method: string;
  /** Path and query as they were typed. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | undefined;
  /** Accept any certificate. */
  readonly insecure: boolean;
}

/** CLI-018..020: one URL and arguments in the manner of curl. Throws a TraceFailure that says what is wrong. */
export function parseRequestArguments(args: readonly string[], readFile: ReadFile): InjectedRequest {
  const options = readCurlOptions(args, readFile);
  const [url, ...more] = options.urls;
  if (url === undefined) throw new TraceFailure('no http(s) URL among the arguments after --');
  if (more.length > 0) throw new TraceFailure('more than one URL after --: one trace covers one request');

  const body = options.data.length === 0 ? undefined : Buffer.concat(options.data);
  const { scheme, credentials, authority, target } = parseUrl(url);
  return {
    scheme,
    hostname: authority.replace(/:\d*$/, '').replace(/^\[|\]$/g, ''),
    method: options.method ?? defaultMethod(options, body),
    target,
    headers: headersOf(options, authority, options.user ?? credentials, body),
    body,
    insecure: options.insecure,
  };
}

/** Not the `URL` class: it would tidy up the path, and the path is often the very thing to be traced. */
function parseUrl(url: string) {
  const [, scheme, credentials, authority, rest = ''] =
    /^(https?):\/\/(?:([^/?#@]*)@)?([^/?#@]+)([^#]*)/i.exec(url) ?? [];
  if (scheme === undefined || authority === undefined) {
    throw new TraceFailure(`not an http(s) URL after --: ${url}`);
  }
  return {
    scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http',
    credentials: credentials === undefined ? undefined : decodeCredentials(credentials),
    authority,
    target: rest.startsWith('/') ? rest : `/${rest}`,
  } as const;
}

function decodeCredentials(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TraceFailure('the user name or password in the URL after -- is not encoded correctly');
  }
}

function defaultMethod({ head }: CurlOptions, body: Buffer | undefined): string {
  if (head) return 'HEAD';
  return body === undefined ? 'GET' : 'POST';
}

/** The fields curl would send: its own first, each unless `-H` gave or removed it, then those of `-H`. */
function headersOf(options: CurlOptions, authority: string, user: string | undefined, body: Buffer | undefined) {
  const given = options.headers.map(parseHeader);
  const isGiven = new Set(given.map(({ name }) => name.toLowerCase()));
  const chunked = isGiven.has('transfer-encoding');
  const own = new Map<string, string>([
    ['Host', authority], // CLI-015
    ...(user === undefined ? [] : [['Authorization', `Basic ${Buffer.from(user).toString('base64')}`] as const]),
    ['User-Agent', 'refproxy'],
    ['Accept', '*/*'],
    ...options.implied,
    ...(body === undefined || chunked ? [] : [['Content-Length', String(body.length)] as const]),
  ]);
  return [
    ...[...own].filter(([name]) => !isGiven.has(name.toLowerCase())),
    ...given.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
  ];
}

/** `Name: value`; `Name:` takes a field away; `Name;` sends it empty. */
function parseHeader(text: string): { readonly name: string; readonly value: string | undefined } {
  const colon = text.indexOf(':');
  if (colon <= 0 && text.endsWith(';')) return { name: text.slice(0, -1), value: '' };
  if (colon <= 0) throw new TraceFailure(`not a header after --: ${text}`);
  const value = text.slice(colon + 1).trim();
  return { name: text.slice(0, colon).trim(), value: value === '' ? undefined : value };
}
