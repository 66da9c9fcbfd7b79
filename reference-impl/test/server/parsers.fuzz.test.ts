import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseByteSize } from '../../base/byte-size.ts';
import { systemClock } from '../../base/clock.ts';
import { parseDuration } from '../../base/duration.ts';
import { HeaderMap } from '../../base/headers.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { cookiePairs, splitCookie } from '../../credentials/cookie-pairs.ts';
import type { Request } from '../../exchange/exchange.ts';
import { hostWithoutPort } from '../../exchange/request-state.ts';
import { innerConnection } from '../../server/inner-connection.ts';
import { isAuthority, isWellFormed, receive } from '../../server/receive.ts';
import { readTraceparent } from '../../telemetry/trace-context.ts';
import { holds } from '../support/holds.ts';

const bytes = fc.string({ unit: fc.nat(255).map((code) => String.fromCodePoint(code)), maxLength: 60 });
/** What a text that nearly is one is made of. */
const crumbs = (...words: string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((parts) => parts.join(''));

describe('durations', () => {
  const part = fc.tuple(fc.nat(99_999), fc.constantFrom('h', 'm', 's', 'ms'));
  const milliseconds = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

  test('are the sum of their parts', () => {
    const parts = fc.array(part, { minLength: 1, maxLength: 4 });
    holds(
      fc.property(parts, (list) => {
        const sum = list.reduce((total, [amount, unit]) => total + amount * milliseconds[unit], 0);
        expect(parseDuration(list.map((each) => each.join('')).join(''))).toBe(sum);
      }),
    );
  });

  test('of anything are milliseconds, or none', () => {
    holds(
      fc.property(fc.oneof(bytes, crumbs('1', '99999', '0', 'h', 'm', 's', 'ms', '.', '-', ' ', '\n', 'e')), (any) => {
        const parsed = parseDuration(any);
        const isOne = /^(\d{1,5}(h|m|s|ms)){1,4}$/.test(any) && any.length <= 32 && !any.endsWith('\n');
        expect(parsed !== undefined).toBe(isOne);
        if (parsed !== undefined) expect(Number.isSafeInteger(parsed)).toBe(true);
      }),
    );
  });
});

describe('quantities', () => {
  test('of whole bytes are themselves', () => {
    holds(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (size) => {
        expect(parseByteSize(String(size))).toBe(size);
        expect(parseByteSize(size)).toBe(size);
      }),
    );
  });

  test('grow with their suffix, and are rounded up', () => {
    const suffixes = [
      ['', 1],
      ['k', 1e3],
      ['Ki', 1024],
      ['M', 1e6],
      ['Mi', 1024 ** 2],
      ['G', 1e9],
      ['m', 1e-3],
    ] as const;
    holds(
      fc.property(fc.nat(999_999), fc.constantFrom(...suffixes), (amount, [suffix, times]) => {
        expect(parseByteSize(`${amount}${suffix}`)).toBe(Math.ceil(amount * times));
      }),
    );
  });

  test('of anything are whole bytes, or none', () => {
    holds(
      fc.property(fc.oneof(bytes, crumbs('1', '0', '.', '5', 'Ki', 'k', 'E', 'e', '+', '-', 'm', ' ')), (any) => {
        const parsed = parseByteSize(any);
        expect(parsed === undefined || (parsed >= 0 && (Number.isInteger(parsed) || parsed === Infinity))).toBe(true);
      }),
    );
  });
});

describe('authorities', () => {
  const port = fc.oneof(
    fc.constant(''),
    fc.nat(65_535).map((number) => `:${number}`),
  );
  const host = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
  );

  test('with and without a port are taken, and their host is found', () => {
    holds(
      fc.property(host, port, (name, behind) => {
        expect(isAuthority(name + behind)).toBe(true);
        expect(hostWithoutPort(name + behind)).toBe(name);
      }),
    );
  });

  test('that another reader could take for another host are not', () => {
    const anything = fc.oneof(
      bytes,
      crumbs('a.test', ':', '80', '[', ']', '::1', '@', '/', '\\', '?', '#', ' ', '\t', '%'),
    );
    holds(
      fc.property(anything, (any) => {
        if (!isAuthority(any)) return;
        expect(any).toMatch(/^[!-~]+$/);
        expect(any).not.toMatch(/[@/\\?#]/);
        expect(any.replace(/^\[[^\]]*\]/, '').split(':').length).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe('targets', () => {
  test('are visible ASCII without a fragment', () => {
    holds(
      fc.property(fc.oneof(bytes, crumbs('/', 'a', '?', '#', '%', '*', ' ', '\r', '\n', '\0', 'é')), (any) => {
        const isPlain = any.split('').every((letter) => letter > ' ' && letter < '\u007F' && letter !== '#');
        expect(isWellFormed(any, 'GET')).toBe(any !== '' && any !== '*' && isPlain);
      }),
    );
  });
});

describe('targets of CONNECT', () => {
  test('lead to the port that they end with, and nowhere without one', () => {
    const target = fc.oneof(bytes, crumbs('a.test', '[::1]', ':', '443', '0', '65536', '-', ' ', '@'));
    const request: Omit<Request, 'authority'> = {
      method: 'CONNECT',
      scheme: 'http',
      target: '/',
      version: 'HTTP/1.1',
      headers: HeaderMap.of([]),
      body: undefined,
    };
    const connection = { socket: new Socket(), source: { address: '192.0.2.1', port: 1 } };
    holds(
      fc.property(target, (authority) => {
        const asked: number[] = [];
        const answer = innerConnection({ ...request, authority }, connection, (port) => {
          asked.push(port);
          return undefined;
        });
        expect(answer).toBeInstanceOf(ProxyError);
        expect(asked).toEqual(/:\d{1,5}$/.test(authority) ? [Number(authority.split(':').at(-1))] : []);
      }),
    );
  });
});

function hex(length: number): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
}

describe('traceparent', () => {
  test('is read as it was written', () => {
    holds(
      fc.property(hex(32), hex(16), hex(2), (traceId, spanId, flags) => {
        fc.pre(/[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId));
        expect(readTraceparent(headersOf(`00-${traceId}-${spanId}-${flags}`))).toEqual({ traceId, spanId, flags });
      }),
    );
  });

  test('of anything is a trace of the form of the standard, or none', () => {
    holds(
      fc.property(
        fc.oneof(bytes, crumbs('00', 'ff', '-', '0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', '01', ' ')),
        (any) => {
          const read = readTraceparent(headersOf(any));
          if (read !== undefined)
            expect(`${read.traceId}-${read.spanId}-${read.flags}`).toMatch(/^[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
        },
      ),
    );
  });
});

describe('cookies', () => {
  test('are found as they were written, in however many fields', () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/);
    const value = fc.stringMatching(/^[a-z0-9=]{0,8}$/);
    holds(
      fc.property(
        fc.array(fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
        (fields) => {
          const headers = HeaderMap.of(
            fields.map((pairs): [string, string] => ['Cookie', pairs.map((pair) => pair.join('=')).join('; ')]),
          );
          expect(cookiePairs(headers).map(splitCookie)).toEqual(fields.flat());
        },
      ),
    );
  });

  test('of anything are names and values', () => {
    holds(
      fc.property(fc.array(fc.oneof(bytes, crumbs('a', '=', ';', ' ', '"', ',', '\t')), { maxLength: 3 }), (values) => {
        const pairs = cookiePairs(HeaderMap.of(values.map((value): [string, string] => ['cookie', value])));
        for (const pair of pairs) expect(splitCookie(pair).join('')).not.toContain(';');
        expect(pairs).not.toContain('');
      }),
    );
  });
});

describe('messages', () => {
  test('are taken or refused, and what is taken has an authority, a target and no field of its connection', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'Host',
        'host',
        'Content-Length',
        'Transfer-Encoding',
        'Connection',
        'Upgrade',
        'TE',
        'x',
        'Expect',
      ),
      bytes,
    );
    const value = fc.oneof(
      fc.constantFrom('a', 'chunked', '3', 'close, x', 'x', 'a:80', 'trailers', '-1', 'gzip, chunked'),
      bytes,
    );
    const message = fc.record({
      method: fc.constantFrom('GET', 'POST', 'CONNECT', 'OPTIONS', 'PURGE'),
      url: fc.oneof(fc.constantFrom('/', '*', 'http://a/b', 'a:1', '//a', 'https://@/'), bytes),
      rawHeaders: fc.array(fc.tuple(name, value), { maxLength: 8 }).map((pairs) => pairs.flat()),
      httpVersion: fc.constantFrom('1.0', '1.1', '2.0', '0.9'),
    });
    holds(
      fc.property(message, (head) => {
        const request = receive(arriving(head), { scheme: 'http', reading: { clock: systemClock, patience: 1 } });
        if (request instanceof ProxyError) return;
        expect(isAuthority(request.authority)).toBe(true);
        expect(request.target).toMatch(/^\//);
        for (const gone of ['host', 'connection', 'upgrade', 'transfer-encoding', 'expect'])
          expect(request.headers.has(gone)).toBe(false);
      }),
    );
  });
});

function headersOf(traceparent: string): HeaderMap {
  return HeaderMap.of([['traceparent', traceparent]]);
}

function arriving(head: Partial<IncomingMessage>): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), head);
}
