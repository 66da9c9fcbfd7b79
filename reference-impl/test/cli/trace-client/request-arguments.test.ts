import { describe, expect, test } from 'vitest';
import { parseRequestArguments } from '../../../cli/trace-client/request-arguments.ts';
import { TraceFailure } from '../../../cli/trace-client/trace-failure.ts';

const FILES: Readonly<Record<string, string>> = { 'form.txt': 'a=1\r\nb=2\n', '-': 'from stdin\n' };

function parse(...args: readonly string[]) {
  return parseRequestArguments(args, (path) => {
    const text = FILES[path];
    if (text === undefined) throw new TraceFailure(`failed to read ${path}`);
    return Buffer.from(text);
  });
}

function headers(...args: readonly string[]): string[] {
  return parse(...args).headers.map(([name, value]) => `${name}: ${value}`);
}

const URL = 'http://a.test/p';

describe('request after --', () => {
  test.each([
    ['http://a.test', '/', 'a.test'],
    ['http://a.test:81/p?q=1#fragment', '/p?q=1', 'a.test:81'],
    ['http://a.test?q', '/?q', 'a.test'],
    ['http://a.test/a/../b//c%2F', '/a/../b//c%2F', 'a.test'],
    ['HTTP://[::1]:80/', '/', '[::1]:80'],
    ['http://me:pa%20ss@a.test/', '/', 'a.test'],
  ])('%s has target %s and Host %s (CLI-015)', (url, target, host) => {
    expect(parse(url).target).toBe(target);
    expect(headers(url)[0]).toBe(`Host: ${host}`);
  });

  test.each([
    [[URL], 'GET', undefined],
    [[URL, '-X', 'PUT'], 'PUT', undefined],
    [['-XPUT', URL], 'PUT', undefined],
    [['-sSXPUT', URL], 'PUT', undefined],
    [[URL, '--request', 'purge'], 'purge', undefined],
    [[URL, '-I'], 'HEAD', undefined],
    [[URL, '-d', 'x=1'], 'POST', 'x=1'],
    [[URL, '-d', ''], 'POST', ''],
    [[URL, '-d', '-X'], 'POST', '-X'],
    [[URL, '-dx=1', '--data', 'y=2'], 'POST', 'x=1&y=2'],
    [[URL, '-X', 'PATCH', '-d', 'x'], 'PATCH', 'x'],
    [[URL, '-d', '@form.txt'], 'POST', 'a=1b=2'],
    [[URL, '--data-binary', '@form.txt'], 'POST', 'a=1\r\nb=2\n'],
    [[URL, '--data-raw', '@form.txt'], 'POST', '@form.txt'],
    [[URL, '--data-binary', '@-'], 'POST', 'from stdin\n'],
    [[URL, '--json', '{"a":1}'], 'POST', '{"a":1}'],
  ])('%j: %s with body %j (CLI-018, CLI-020)', (args, method, body) => {
    const request = parse(...args);
    expect(request.method).toBe(method);
    expect(request.body?.toString()).toBe(body);
  });

  test('header fields are those of curl (CLI-019)', () => {
    expect(headers(URL)).toEqual(['Host: a.test', 'User-Agent: refproxy', 'Accept: */*']);
    expect(headers(URL, '-H', 'X-A:  1 ', '-H', 'x-a: 2', '-H', 'X-Empty;')).toEqual([
      ...headers(URL),
      'X-A: 1',
      'x-a: 2',
      'X-Empty: ',
    ]);
    expect(headers(URL, '-H', 'host: b.test', '-H', 'accept:', '-H', 'User-Agent:')).toEqual(['host: b.test']);
    expect(headers(URL, '-d', 'x')).toContain('Content-Type: application/x-www-form-urlencoded');
    expect(headers(URL, '-d', 'ü')).toContain('Content-Length: 2');
    expect(headers(URL, '-d', 'x', '-H', 'Content-Type: a/b').filter((line) => /content-type/i.test(line))).toEqual([
      'Content-Type: a/b',
    ]);
    expect(headers(URL, '-d', 'x', '-H', 'Transfer-Encoding: chunked').join('\n')).not.toMatch(/content-length/i);
    expect(headers(URL, '--json', '{}')).toEqual(
      expect.arrayContaining(['Content-Type: application/json', 'Accept: application/json']),
    );
    expect(headers('http://me:pa%20ss@a.test/')).toContain(`Authorization: Basic ${btoa('me:pa ss')}`);
    expect(headers(URL, '-u', 'me:x', '-A', 'agent', '-b', 'c=1', '-e', 'r')).toEqual([
      'Host: a.test',
      `Authorization: Basic ${btoa('me:x')}`,
      'User-Agent: agent',
      'Accept: */*',
      'Cookie: c=1',
      'Referer: r',
    ]);
  });

  test.each([
    [[], 'no http(s) URL'],
    [['-s'], 'no http(s) URL'],
    [['a.test/x'], 'not an http(s) URL'],
    [['ftp://a.test/x'], 'not an http(s) URL'],
    [[URL, URL], 'more than one URL'],
    [[URL, '--bogus'], 'unknown option --bogus'],
    [[URL, '--constructor'], 'unknown option --constructor'],
    [[URL, '-sZ'], 'unknown option -sZ'],
    [[URL, '-'], 'unknown option -'],
    [[URL, '-X'], 'option --request after -- needs a value'],
    [[URL, '-H', 'no colon'], 'not a header'],
    [[URL, '-d', '@missing'], 'failed to read missing'],
    [['http://%ff@a.test/'], 'not encoded correctly'],
  ])('%j is refused: %s', (args, message) => {
    expect(() => parse(...args)).toThrow(TraceFailure);
    expect(() => parse(...args)).toThrow(message);
  });
});
