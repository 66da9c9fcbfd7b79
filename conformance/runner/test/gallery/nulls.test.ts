import { describe, expect, test } from 'vitest';
import { runNulls } from '../../gallery/nulls.ts';
import { parsed } from '../case/support.ts';

/** A case that any answer satisfies, and one that asks for the backend. */
const CASES = `suite: x.nulls
defaults:
  needs: [core.http]
  peers: { up: { kind: http, reply: { body: from-up } } }
  topology: { preset: one-route, to: up }
cases:
  - id: x.nulls.weak
    title: Some answer comes back whatever it is
    clauses: [{ id: X-001, as: positive }]
    steps: [{ id: call, within: 60s, http: { POST: /, body: hello }, expect: { status: 200 } }]
    kills: [some-defect]
  - id: x.nulls.strong
    title: The answer of the backend comes back
    clauses: [{ id: X-001, as: positive }]
    steps: [{ id: call, within: 60s, http: { POST: /, body: hello }, expect: { status: 200, body: from-up } }]
    kills: [some-defect]
`;

describe('null proxies', { timeout: 30_000 }, () => {
  test('a case that shows nothing is green for them, one that asks for the backend is not', async () => {
    const { cases, problems } = parsed(CASES);
    expect(problems).toEqual([]);
    const { nulls } = await runNulls({ ids: ['always-200', 'always-404', 'first-backend', 'yes-adapter'], cases });
    expect(nulls.slice(0, 3)).toEqual([
      { id: 'always-200', green: ['x.nulls.weak'], judged: 2 },
      { id: 'always-404', green: [], judged: 2 },
      { id: 'first-backend', green: ['x.nulls.strong', 'x.nulls.weak'], judged: 2 },
    ]);
    expect(nulls[3]).toMatchObject({ id: 'yes-adapter', green: [], judged: 0 });
    expect(nulls[3]?.refused).toContain('the adapter is refused');
  });

  test('an id nobody has is a mistake of the user', async () => {
    await expect(runNulls({ ids: ['sometimes-200'], cases: [] })).rejects.toThrow(
      /no null proxy sometimes-200; known are always-200, /,
    );
  });
});
