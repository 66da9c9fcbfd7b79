import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { get, policy, simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';

const PAGE = readFileSync('docs/guide/paths.md', 'utf8');

/** The policy that the page recommends. */
const RECOMMENDED = z
  .object({ spec: z.object({ traffic: z.looseObject({}) }) })
  .parse(parse(/```yaml\n([^]*?)```/.exec(PAGE)?.[1] ?? ''));

/** The spellings of the page's table, without the plain one. */
const SPELLINGS = [...PAGE.matchAll(/^ *\| (`\/.*?) +\|/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path))
  .filter((path) => !['/admin', '/admin/', '/admin.'].includes(path));

it('the recommended rule refuses the spellings that a server may normalise, and lets plain paths pass', async () => {
  await using upstream = await startUpstream();
  const { traffic } = RECOMMENDED.spec;
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, upstream.port),
    policy('Gateway', { traffic }),
  ]);
  expect(SPELLINGS.length).toBeGreaterThan(8);
  for (const path of SPELLINGS) expect(await get(plane.port, path), path).toMatch(/^HTTP\/1\.1 403 /);
  const plain = ['/', '/admin', '/a.b/..c/d..', '/a%20b%C3%A9', '/.well-known/x', '/x?next=//other/../y'];
  for (const path of plain) expect(await get(plane.port, path), path).toMatch(/^HTTP\/1\.1 200 /);
  expect(upstream.received.map(({ url }) => url)).toEqual(plain);
});

it.each(['//admin', '/a/../b', '/%2e%2e/x', '/a\\b', '/a;b=1', '/%zz', '/a%00', '/?a=1&a=2&&', "/~a!$&'()*+,=:@"])(
  'a target reaches the backend as it came: %s',
  async (target) => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    expect(await get(plane.port, target)).toMatch(/^HTTP\/1\.1 200 /);
    expect(upstream.received.map(({ url }) => url)).toEqual([target]);
  },
);
