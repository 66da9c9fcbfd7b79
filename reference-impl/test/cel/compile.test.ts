import { describe, expect, test } from 'vitest';
import { alwaysFails, compile, compileOrFail } from '../../cel/compile.ts';
import { asBody, asHeaderText, asMilliseconds, isTrue } from '../../cel/results.ts';
import { evaluate, REQUEST } from './support/evaluate.ts';

describe('variables', () => {
  test.each([
    ['request.headers["X-A"] == "b"', true],
    ['request.headers.multi', ['1', '2,3']],
    ['request.headers.join()["MULTI"]', '1,2,3'],
    ['request.headers.split().multi', ['1', '2', '3']],
    ['request.headers.raw()["x-a"]', ['b']],
    ['request.headers.cookie("c")', 'd'],
    ['"x-a" in request.headers && !("x-b" in request.headers)', true],
    ['jwt == null && !has(jwt.sub)', true],
    ['response.code + 1 == 504 && response.code >= 500.0', true],
    ['proxy.route == null && !has(proxy.route)', true],
    ['json(request.body).model', 'm'],
    ['request.uri.query("x")', ['1', '2']],
    ['request.uri.setQuery("x", "9")', 'http://h/a?x=9'],
    ['metadata.__proto__', 'own'],
    ['[1, 2].map(request, request + 1)', [2, 3]],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual({ ok: true, value: expected });
  });

  test.each([
    ['request.headers["none"]', 'field not found: none'],
    ['jwt.sub', 'field not found: sub'],
    ['nobody', 'unresolved attribute'],
    ['constructor', 'unresolved attribute'],
    ['metadata.constructor', 'field not found: constructor'],
    ['1 + "a"', "found no matching overload for '_+_' applied to '(int, string)'"],
  ])('%s fails', (expression, error) => {
    expect(evaluate(expression)).toEqual({ ok: false, error });
  });

  test('only the roots an expression names are asked for', () => {
    const asked: string[] = [];
    compileOrFail('request.path == "/" || source.port == 1 || [1].exists(proxy, proxy == 1)').evaluate((root) => {
      asked.push(root);
      return REQUEST[root];
    });
    expect(asked).toEqual(['request', 'source']);
  });

  test.each([
    ['request.path', []],
    ['request.body', ['request']],
    ['request["bodyPrefix"]', ['request']],
    ['toJson(request)', ['request']],
    ['[1].map(request, request.body)', []],
    ['default(response.body, request.method)', ['response']],
    ['variables().size()', ['request', 'response']],
  ])('bodies read by %s', (expression, bodies) => {
    expect([...compileOrFail(expression).bodies]).toEqual(bodies);
  });

  test('members are only read when they are named', () => {
    const request = {
      path: '/',
      get headers(): never {
        throw new Error('headers were read');
      },
    };
    expect(compileOrFail('request.path').evaluate(() => request)).toEqual({ ok: true, value: '/' });
    expect(compileOrFail('request.headers').evaluate(() => request)).toEqual({ ok: false, error: 'headers were read' });
  });
});

describe('lazy functions', () => {
  test.each([
    ['default(nobody, 1)', 1],
    ['default(request.headers["none"], "d")', 'd'],
    ['default(null, jwt.sub == null ? 1 : 2)', undefined],
    ['default(request.path, fail("not needed"))', '/a/b'],
    ['default(1 / 0, 3)', undefined],
    ['coalesce(1 / 0, null, jwt.sub, "x")', 'x'],
    ['coalesce(null, jwt.sub)', null],
    ['coalesce(jwt.sub)', undefined],
    ['request.path.with(p, p + p)', '/a/b/a/b'],
    ['[1, 2].map(x, x.with(y, default(jwt.sub, x + y)))', [2, 4]],
    ['[1, 2].map(x, [10].map(y, coalesce(nobody, x + y)))', [[11], [12]]],
    ['[1, 2, 3].map(x, x > 1, default(nobody, x * 2))', [4, 6]],
    ['[1, 2, 3].filter(x, default(nobody, x) > 1)', [2, 3]],
    ['{"a": 1, "b": 2}.mapValues(v, v * 2)', { a: 2, b: 4 }],
    ['{"a": 1, "b": 2}.filterKeys(k, k == "a")', { a: 1 }],
    ['{"a": 1}.merge({"a": 2, "b": 3})', { a: 2, b: 3 }],
    ['variables().source.port', 1],
  ])('%s', (expression, expected) => {
    const result = evaluate(expression);
    expect(result.ok ? result.value : undefined).toEqual(expected);
  });
});

describe('functions', () => {
  test.each([
    ['base64.encode("hi")', 'aGk='],
    ['string(base64Decode("aGk"))', 'hi'],
    ['url.encode("a b/c+é")', 'a%20b%2Fc%2B%C3%A9'],
    ['url.decode("a%20b+c")', 'a b+c'],
    ['form.encode({"b": [1, 2], "a": "x y", "c": null})', 'a=x+y&b=1&b=2'],
    ['form.decode("a=x+y&b=1&b=2")', { a: 'x y', b: ['1', '2'] }],
    ['md5.encode("a")', '0cc175b9c0f1b6a831c399e269772661'],
    ['sha1.encode("a")', '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'],
    ['sha256.encode(b"a")', 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'],
    ['"aXbX".regexReplace("(X)", "<$1>")', 'a<X>bX'],
    ['"prefix-a".stripPrefix("prefix-") + "b.txt".stripSuffix(".txt")', 'ab'],
    ['toJson({"a": [1, 2.5, b"x", null, duration("1500ms")]})', '{"a":[1,2.5,"eA==",null,"1.5s"]}'],
    ['jsonField("{\\"a\\": 1}", "a")', 1],
    ['unvalidatedJwtPayload("h.eyJzdWIiOiJtZSJ9.s").sub', 'me'],
    ['"aaa".replace("", "-") + "aaa".replace("a", "b", 2)', '-a-a-a-bba'],
    ['uuid().matches("^[0-9a-f-]{36}$") && random() < 1.0', true],
    ['max(1, 2.5, 2) == 2.5 && min([3, 1]) == 1', true],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual({ ok: true, value: expected });
  });
});

describe('expressions that cannot be compiled', () => {
  test.each([
    ['request.path ==\n  == 1', 'found = but expecting end of input', 1, 14],
    ['a.b() + c', 'undeclared function: b', 1, 2],
    ['1 +\n  has(jwt)', 'has() takes a field such as has(a.b)', 2, 3],
    ['9223372036854775808', 'integer out of range: 9223372036854775808', 1, 1],
    [`1${' '.repeat(500)}nobody()`, 'found n but expecting end of input', 1, 502],
    [`1 +${' '.repeat(500)}nobody()`, 'undeclared function: nobody', 1, 504],
  ])('%j', (expression, message, line, column) => {
    const compiled = compile(expression);
    expect(compiled.ok).toBe(false);
    if (!compiled.ok) expect(compiled.error).toEqual({ message, line, column });
  });

  test('become programs that always fail', () => {
    const failing = compileOrFail('1 +').evaluate(() => 1);
    expect(failing).toEqual({ ok: false, error: '1:3: found + but expecting end of input' });
    expect(alwaysFails('x', 'because').evaluate(() => 1)).toEqual({ ok: false, error: 'because' });
  });

  test('a text keeps its result', () => {
    expect(compile('1 + 41')).toBe(compile('1 + 41'));
  });
});

describe('long white space', () => {
  const gap = ' '.repeat(200);

  test.each([
    [`"a${gap}b".size()`, 202],
    [`'a${gap}\\'b'.size()`, 203],
    [`r"a${gap}\\".size()`, 202],
    [`"""a${gap}"b""".size()`, 203],
    [`1${gap}+ // a "comment${gap}\n${gap}1`, 2],
  ])('%# counts in literals only', (expression, expected) => {
    expect(evaluate(expression)).toEqual({ ok: true, value: expected });
  });
});

describe('results', () => {
  test.each([
    ['"a"', 'a'],
    ['b"a"', 'a'],
    ['1 + 1', '2'],
    ['2.5', '2.5'],
    ['true', 'true'],
    ['duration("1500ms")', '1.5s'],
    ['9223372036854775807', '9223372036854775807'],
    ['null', undefined],
    ['[1]', undefined],
    ['{"a": 1}', undefined],
    ['1 / 0', undefined],
  ])('header text of %s', (expression, expected) => {
    expect(asHeaderText(evaluate(expression))).toBe(expected);
  });

  test.each([
    ['"a \\"b\\""', 'a "b"'],
    ['b"\\x00a"', '\0a'],
    ['{"a": [1, true, null]}', '{"a":[1,true,null]}'],
    ['9223372036854775807', '"9223372036854775807"'],
    ['null', 'null'],
    ['1 / 0', undefined],
  ])('body of %s', (expression, expected) => {
    const body = asBody(evaluate(expression));
    expect(body === undefined ? undefined : Buffer.from(body).toString('latin1')).toBe(expected);
  });

  test('only true is true', () => {
    expect(['true', '1', '"true"', 'null', '1 / 0', 'false'].map((text) => isTrue(evaluate(text)))).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  test('durations count in milliseconds, numbers are milliseconds', () => {
    expect(
      ['duration("1.5s")', '20', 'duration("-1ms")', '"2s"'].map((text) => asMilliseconds(evaluate(text))),
    ).toEqual([1500, 20, -1, undefined]);
  });

  test('a value goes out and in again unchanged', () => {
    for (const text of ['duration("-1.5s")', 'timestamp("2024-01-02T03:04:05.5Z")', '{"a": [1, 2.5, b"x"]}']) {
      const out = evaluate(text);
      const again = compileOrFail(`metadata == ${text}`).evaluate(() => (out.ok ? out.value : undefined));
      expect(again).toEqual({ ok: true, value: true });
    }
  });
});
