import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  raw,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type DataPlane,
  type Upstream,
} from '../support/data-plane.ts';

const REFUSED: readonly (readonly [line: string, status: number])[] = [
  ['GET /a#b HTTP/1.1', 400],
  ['GET /# HTTP/1.1', 400],
  ['GET http://a/#b HTTP/1.1', 400],
  ['GET /a?b#c HTTP/1.1', 400],
  ['GET /a\x01b HTTP/1.1', 400],
  ['GET /a\tb HTTP/1.1', 400],
  ['GET /a\x7fb HTTP/1.1', 400],
  ['GET /a\xe9b HTTP/1.1', 400],
  ['GET * HTTP/1.1', 400],
  ['OPTIONS * HTTP/1.1', 404],
  ['GET /', 505],
  ['GET / HTTP/0.9', 505],
  ['GET / HTTP/2.0', 505],
  ['GET / HTTP/3.0', 400],
  ['GET / HTTP/1.2', 400],
  ['GET / HTTP/9.9', 400],
  ['GET / http/1.1', 400],
  ['PRI * HTTP/2.0', 400],
  ['OPTIONS / RTSP/1.0', 505],
  ['SOURCE /x ICE/1.0', 505],
];

describe('request lines', () => {
  let upstream: Upstream;
  let plane: DataPlane;
  beforeAll(async () => {
    upstream = await startUpstream();
    plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  it.each(REFUSED)('%j is refused with %i, and the connection ends', async (line, status) => {
    const answers = await raw(plane.port, `${line}\r\nHost: a\r\n\r\nGET /behind HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(upstream.received).toEqual([]);
  });
});
